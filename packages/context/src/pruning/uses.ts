// How results are used: a file that was read is read again or changed, a command runs again, and a path or a symbol of a result stands
// in later words or tool inputs. Each span is looked at once, so that a step looks at what is new to it.

import type { CallPart, ResultPart, Span } from '@tidemark/model';
import { commandIn, folderIn, parseArguments, deedOf, fileIn, looksCut } from '../checkpoint/known-tools.ts';
import type { Deed } from '../checkpoint/known-tools.ts';
import { namesIn, stringsIn } from '../base/names.ts';
import { textOfResult } from '../base/render.ts';

/** Why a later result stands for one: the same file or command gave it again, or its file was changed. */
export type Superseded = 'again' | 'changed';

/** One result, and what became of it so far. */
export interface ResultUse {
  /** The command that it is the output of, or the file that it shows. */
  readonly of: CallTarget | undefined;
  /** How much it shows, in UTF-16 units. */
  readonly length: number;
  /** The turn in which it was written or last referred to. */
  turn: number;
  superseded: Superseded | undefined;
  /** Not used in the latest turns. */
  old: boolean;
}

/**
 * Why a result is prunable: the same file was read or the same command ran again; its file was changed; this, and nothing referred to
 * it in the latest turns; or the last alone.
 */
export type Grounds = 'repeated' | 'changed' | 'changed-unused' | 'unused';

/** All of them. */
export const GROUNDS: readonly Grounds[] = ['repeated', 'changed', 'changed-unused', 'unused'];

/** Returns the grounds on which a result is prunable; `undefined` where it is not. */
export function groundsOf({ superseded, old }: Pick<ResultUse, 'superseded' | 'old'>): Grounds | undefined {
  if (superseded === 'again') return 'repeated';
  if (superseded === 'changed') return old ? 'changed-unused' : 'changed';
  return old ? 'unused' : undefined;
}

/** What a call was about. */
export interface CallTarget {
  readonly deed: Deed;
  /** The file, from the workspace on where it lies there; or the command, with its folder. */
  readonly name: string;
  /** The arguments as they were given. */
  readonly raw: string;
  /** It names no part of the file; or nothing but how much of its beginning. */
  readonly part: 'whole' | 'beginning' | 'other';
}

/** The uses of a packed list up to some span. */
export interface Uses {
  readonly workspace: string | undefined;
  /** Turns that had started by then. */
  turn: number;
  /** The calls of the last answer, by the id that the provider is sent. */
  calls: ReadonlyMap<string, CallTarget>;
  /** The latest result that shows each symbol. */
  readonly symbols: Map<string, ResultUse>;
  /** By file the results of reading it that no other reading stands for. */
  readonly reads: Map<string, readonly ResultUse[]>;
  /** Paths of these, by their last segment. */
  readonly paths: Map<string, ReadonlySet<string>>;
  /** The latest output of each command. */
  readonly runs: Map<string, ResultUse>;
  /** By turn the results that were used in it last, and some that were used since. */
  readonly last: Map<number, ResultUse[]>;
  /** Those that changed since this was emptied. */
  readonly changed: Set<ResultUse>;
  readonly keptTurns: number;
  readonly onRefer: ((use: ResultUse, by: 'words' | 'input') => void) | undefined;
}

/** Turns in which a result that nothing refers to is kept, the open one included. */
const KEPT_TURNS = 2;

/** Settings of a measurement. */
export interface UsesOptions {
  /** The default is `KEPT_TURNS`. */
  readonly keptTurns?: number;
  /** Called for each reference to a result: by words, or by the input of a tool. */
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

/** Goes on to a later turn: results that were not used in the latest ones are old from then on. */
export function goToTurn(uses: Uses, turn: number): void {
  for (; uses.turn < turn; uses.turn += 1) {
    const unused = uses.turn + 1 - uses.keptTurns;
    for (const use of uses.last.get(unused) ?? []) if (use.turn === unused) setOld(uses, use, true);
    uses.last.delete(unused);
  }
}

/** Takes in a span that is no result: its words and tool inputs refer to results before it. */
export function noteSaid(uses: Uses, { role, parts }: Span): void {
  if (role === 'assistant') uses.calls = new Map(parts.flatMap((part) => targetOf(part, uses.workspace)));
  for (const part of parts) {
    if (part.type === 'text') refer(uses, part.text, 'words');
    if (part.type === 'call') for (const text of inputsOf(part)) refer(uses, text, 'input');
  }
}

/** Takes in a result of the last answer. */
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

/** Of a file: all of it, its beginning, or any other part. */
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

/** What this result stands for from now on. */
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

/** Whether a reading shows all that an earlier one of the same file showed. */
function covers(later: CallTarget, earlier: CallTarget | undefined): boolean {
  return later.raw === earlier?.raw || (later.part === 'whole' && earlier?.part !== 'other');
}

/** Whether a result shows as much as an earlier one: a page can be cut shorter. A file that was changed since may be shorter itself. */
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

/** The files that a path may mean: one of them ends with it, or it with one of them. */
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
 * The share of long results to which the input of a later tool call referred, of those that had become prunable on these grounds.
 * Fitted on the two long recorded sessions as (needed + 1) / (seen + 2), printed by `npm run bench -- pruning-needs`: see docs/decisions/2026-11-22-pruning-by-value.md.
 */
export const chanceOfNeed: Readonly<Record<Grounds, number>> = {
  repeated: 0.11,
  changed: 0.94,
  'changed-unused': 0.48,
  unused: 0.22,
};
