// Tracks if tool results are still in use. A result is superseded if its file is read again or changed, or if its
// command runs again. A result is used if later text or the arguments of a later call mention one of its paths or
// symbols. Each span is examined only once.

import type { CallPart, ResultPart, Span } from '@tidemark/model';
import { commandIn, folderIn, parseArguments, deedOf, fileIn, looksCut } from '../checkpoint/known-tools.ts';
import type { Deed } from '../checkpoint/known-tools.ts';
import { namesIn, stringsIn } from '../base/names.ts';
import { textOfResult } from '../base/render.ts';

/**
 * Reason why a later result supersedes an earlier one. `again`: the same file was read or the same command ran again.
 * `changed`: its file was changed.
 */
export type Superseded = 'again' | 'changed';

/** Use of one result so far. */
export interface ResultUse {
  /** Command or file of the call that returned the result. `undefined` if unknown. */
  readonly of: CallTarget | undefined;
  /** Length of the result's text, in UTF-16 units. */
  readonly length: number;
  /** Number of the turn in which the result was written or last mentioned. */
  turn: number;
  superseded: Superseded | undefined;
  /** True if nothing used the result in the latest turns: see `keptTurns`. */
  old: boolean;
}

/**
 * Grounds on which a result is prunable. `repeated`: the same file was read or the same command ran again. `changed`:
 * its file was changed. `unused`: nothing mentioned the result in the latest turns. `changed-unused`: its file was
 * changed, and nothing mentioned the result in the latest turns.
 */
export type Grounds = 'repeated' | 'changed' | 'changed-unused' | 'unused';

export const GROUNDS: readonly Grounds[] = ['repeated', 'changed', 'changed-unused', 'unused'];

/** Returns the grounds on which a result is prunable, or `undefined` if it is not prunable. */
export function groundsOf({ superseded, old }: Pick<ResultUse, 'superseded' | 'old'>): Grounds | undefined {
  if (superseded === 'again') return 'repeated';
  if (superseded === 'changed') return old ? 'changed-unused' : 'changed';
  return old ? 'unused' : undefined;
}

/** Target of a call: a file or a command. */
export interface CallTarget {
  readonly deed: Deed;
  /**
   * For a file: its path, which is relative if the file is inside the workspace. For a command: its folder and the
   * command.
   */
  readonly name: string;
  /** Arguments as the model wrote them. */
  readonly raw: string;
  /**
   * Part of the file that the arguments name. `whole`: they name no part. `beginning`: they only limit the length.
   * `other`: any other part.
   */
  readonly part: 'whole' | 'beginning' | 'other';
}

/** Uses of all results in a packed list, up to the last processed span. Mutable. */
export interface Uses {
  readonly workspace: string | undefined;
  /** Number of turns that had started at the last processed span. */
  turn: number;
  /** Targets of the calls in the last answer, by the call id that is sent to the provider. */
  calls: ReadonlyMap<string, CallTarget>;
  /** Latest result that shows each symbol. */
  readonly symbols: Map<string, ResultUse>;
  /** Results of reading each file, without the results that a later read superseded. */
  readonly reads: Map<string, readonly ResultUse[]>;
  /** Paths of the read files, by their last segment. */
  readonly paths: Map<string, ReadonlySet<string>>;
  /** Latest output of each command. */
  readonly runs: Map<string, ResultUse>;
  /** Results by the turn in which they were last used. A result can also be listed under earlier turns. */
  readonly last: Map<number, ResultUse[]>;
  /** Results whose use changed since this set was last emptied. */
  readonly changed: Set<ResultUse>;
  readonly keptTurns: number;
  readonly onRefer: ((use: ResultUse, by: 'words' | 'input') => void) | undefined;
}

/** Number of turns during which a result without mentions is not old. The open turn is included. */
const KEPT_TURNS = 2;

/** Options of `noUses` for measurements. */
export interface UsesOptions {
  /** Number of turns during which a result without mentions is not old. Default: `KEPT_TURNS`. */
  readonly keptTurns?: number;
  /** Called for each mention of a result, by text (`words`) or by the arguments of a call (`input`). */
  readonly onRefer?: (use: ResultUse, by: 'words' | 'input') => void;
}

/** Returns the uses of an empty list. */
export function noUses(workspace: string | undefined, { keptTurns = KEPT_TURNS, onRefer }: UsesOptions = {}): Uses {
  return {
    workspace,
    keptTurns,
    onRefer,
    turn: 0,
    calls: new Map(),
    symbols: new Map(),
    reads: new Map(),
    paths: new Map(),
    runs: new Map(),
    last: new Map(),
    changed: new Set(),
  };
}

/** Advances to a later turn. Results that were not used in the latest turns become old. */
export function goToTurn(uses: Uses, turn: number): void {
  for (; uses.turn < turn; uses.turn += 1) {
    const unused = uses.turn + 1 - uses.keptTurns;
    for (const use of uses.last.get(unused) ?? []) if (use.turn === unused) setOld(uses, use, true);
    uses.last.delete(unused);
  }
}

/** Processes a span that is not a result. Its text and tool inputs may mention earlier results. */
export function noteSaid(uses: Uses, { role, parts }: Span): void {
  if (role === 'assistant') uses.calls = new Map(parts.flatMap((part) => targetOf(part, uses.workspace)));
  for (const part of parts) {
    if (part.type === 'text') refer(uses, part.text, 'words');
    if (part.type === 'call') for (const text of inputsOf(part)) refer(uses, text, 'input');
  }
}

/** Processes a result of the last answer and returns its use. */
export function noteResult(uses: Uses, { call, error, content }: ResultPart): ResultUse {
  const of = uses.calls.get(call);
  const text = textOfResult(content);
  const use: ResultUse = { of, length: text.length, turn: uses.turn, superseded: undefined, old: false };
  keepTurn(uses, use);
  if (of !== undefined && !error) supersede(uses, of, use, text);
  for (const { name } of namesIn(text)) uses.symbols.set(name, use);
  return use;
}

function targetOf(part: Span['parts'][number], workspace: string | undefined): readonly [string, CallTarget][] {
  const target = part.type === 'call' ? targetIn(part, workspace) : undefined;
  return part.type === 'call' && target !== undefined ? [[part.call, target]] : [];
}

function targetIn({ name: tool, arguments: raw }: CallPart, workspace: string | undefined): CallTarget | undefined {
  const deed = deedOf({ name: tool });
  const value = parseArguments(raw);
  if (deed === undefined || value === undefined) return undefined;
  if (deed === 'ran') {
    const command = commandIn(value);
    const folder = folderIn(value) ?? '';
    return command === undefined ? undefined : { deed, name: `${folder}\n${command}`, raw, part: 'whole' };
  }
  const file = fileIn(tool, deed, value);
  return file === undefined
    ? undefined
    : { deed, name: fromWorkspace(file, workspace), raw, part: partIn(value, file) };
}

function partIn(value: Readonly<Record<string, unknown>>, file: string): CallTarget['part'] {
  const others = Object.entries(value).filter(([, given]) => given !== file && given !== null && given !== undefined);
  if (others.length === 0) return 'whole';
  return others.every(([name]) => name === 'limit') ? 'beginning' : 'other';
}

function fromWorkspace(path: string, workspace: string | undefined): string {
  const inside = workspace !== undefined && path.startsWith(`${workspace}/`);
  return (inside ? path.slice(workspace.length + 1) : path).replace(/^(?:\.\/)+/, '');
}

function inputsOf({ arguments: raw }: CallPart): Iterable<string> {
  const value = parseArguments(raw);
  return value === undefined ? [raw] : stringsIn(value);
}

function supersede(uses: Uses, of: CallTarget, use: ResultUse, text: string): void {
  if (of.deed === 'ran') {
    mark(uses, uses.runs.get(of.name), 'again');
    uses.runs.set(of.name, use);
    return;
  }
  const before = uses.reads.get(of.name) ?? [];
  if (of.deed === 'changed') {
    for (const one of before) mark(uses, one, 'changed');
    return;
  }
  for (const one of before) if (covers(of, one.of) && showsAsMuch(text, one)) mark(uses, one, 'again');
  uses.reads.set(of.name, [...before.filter(({ superseded }) => superseded !== 'again'), use]);
  const end = lastSegment(of.name);
  uses.paths.set(end, new Set([...(uses.paths.get(end) ?? []), of.name]));
}

/** Checks if a read covers everything that an earlier read of the same file covered. */
function covers(later: CallTarget, earlier: CallTarget | undefined): boolean {
  return later.raw === earlier?.raw || (later.part === 'whole' && earlier?.part !== 'other');
}

/**
 * Checks if a result shows as much as an earlier result. A tool can return a shorter page, which shows less. If the
 * file was changed in between, a shorter but complete result is enough.
 */
function showsAsMuch(text: string, { length, superseded }: ResultUse): boolean {
  return text.length >= length || (superseded === 'changed' && !looksCut(text));
}

function mark(uses: Uses, use: ResultUse | undefined, superseded: Superseded): void {
  if (use === undefined || use.superseded === superseded) return;
  use.superseded = superseded;
  uses.changed.add(use);
}

function refer(uses: Uses, text: string, by: 'words' | 'input'): void {
  const found = new Set<ResultUse>();
  for (const { name, kind } of namesIn(text)) {
    const shows = uses.symbols.get(name);
    if (shows !== undefined) found.add(shows);
    if (kind !== 'symbol')
      for (const file of filesNamed(uses, name)) for (const use of uses.reads.get(file) ?? []) found.add(use);
  }
  for (const use of found) {
    touch(uses, use);
    uses.onRefer?.(use, by);
  }
}

/**
 * Returns the read files that a path may name. The path of such a file ends with the given path, or the given path ends
 * with the path of the file.
 */
function filesNamed(uses: Uses, name: string): readonly string[] {
  const path = fromWorkspace(name, uses.workspace);
  const found = [...(uses.paths.get(lastSegment(path)) ?? [])];
  return found.filter((file) => `/${file}`.endsWith(`/${path}`) || `/${path}`.endsWith(`/${file}`));
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function touch(uses: Uses, use: ResultUse): void {
  if (use.turn === uses.turn) return;
  use.turn = uses.turn;
  keepTurn(uses, use);
  setOld(uses, use, false);
}

function keepTurn({ last, turn }: Uses, use: ResultUse): void {
  const those = last.get(turn);
  if (those === undefined) last.set(turn, [use]);
  else those.push(use);
}

function setOld(uses: Uses, use: ResultUse, old: boolean): void {
  if (use.old === old) return;
  use.old = old;
  uses.changed.add(use);
}

/**
 * For each of these grounds, the share of long results that the input of a later tool call mentioned. Fitted on the two
 * long recorded sessions as (needed + 1) / (seen + 2) and printed by `npm run bench -- pruning-needs`: see
 * docs/decisions/2026-11-22-pruning-by-value.md.
 */
export const chanceOfNeed: Readonly<Record<Grounds, number>> = {
  repeated: 0.11,
  changed: 0.94,
  'changed-unused': 0.48,
  unused: 0.22,
};
