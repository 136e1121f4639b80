// Collects the steps of a range before a part of them is chosen. Steps are texts, calls and result lines. Each step has
// an estimate of its usefulness (`worth`). Also collects the names in files that were read or changed.

import { defined } from '@tidemark/core';
import type { Position } from '@tidemark/log';
import { commandIn, parseArguments, textIn, deedOf, fileIn, looksCut } from './known-tools.ts';
import type { NameInFile, CheckpointStep } from './checkpoint.ts';
import { excerptOf, lineOf, oneLine } from './excerpt.ts';
import type { ClosedCall, Gathered } from './gather.ts';
import { shownByTerminal, wordsOf } from './gather.ts';
import { headingsIn, fileBehind, headingAbove, linesOfNames } from './seen-files.ts';
import type { Mentions } from './mentions.ts';
import { namesIn } from '../base/names.ts';
import { isPlanTool } from './plan-tasks.ts';
import type { Hunk, SeenFile } from './seen-files.ts';

/** Step that may be kept. `worth` estimates how many times the step will be needed. */
export interface Candidate {
  readonly step: CheckpointStep;
  readonly worth: number;
}

/** Name that occurs in a file. */
export interface FileName extends NameInFile {
  readonly position: Position;
  readonly path: string;
  readonly worth: number;
}

/** Steps and names of a range that a checkpoint can choose from. */
export interface Offered {
  /** Texts and calls of the model. They are chosen before `found` and `names`. */
  readonly own: readonly Candidate[];
  readonly found: readonly Candidate[];
  readonly names: readonly FileName[];
  /** Changed files, with the current line of each name. The value is `undefined` if the current content is unknown. */
  readonly changed: ReadonlyMap<string, NamesNow | undefined>;
}

/**
 * Current names in a changed file, with their lines. `whole` is true if the whole file is known, so the file contains
 * no other names.
 */
export interface NamesNow {
  readonly lines: ReadonlyMap<string, number>;
  readonly whole: boolean;
}

/** Maximum length of a kept result line, in UTF-16 units. `ARGUMENT` is the maximum length of an argument. */
const LINE = 240;

const ARGUMENT = 600;

/**
 * Limit for a replaced text. If at most this number of lines changed, the changed lines are shown. If more lines
 * changed, only the place of the change is shown.
 */
const CHANGED = 3;

/** Returns the steps and names that the texts and calls of a range contain. */
export function offeredBy(
  { prose, calls, loaders }: Pick<Gathered, 'prose' | 'calls' | 'loaders'>,
  mentions: Mentions,
): Offered {
  const offer: OfferDraft = {
    own: prose.map((step) => ({ step, worth: worthOfWords(step) })),
    found: [],
    names: [],
    files: new Map(),
    changed: new Set(),
  };
  for (const call of calls) {
    if (isPlanTool(call.name)) continue;
    offerCall(offer, call, loaders.has(call.call), mentions);
  }
  const changed = namesNow(offer);
  return { ...offer, names: offer.names.flatMap((one) => asNow(one, changed)), changed };
}

/** Maximum length of a text that only announces a call, in UTF-16 units. */
const ANNOUNCEMENT = 200;

/** Returns the worth of a text. A text that only announces the next call is worth less than the call itself. */
function worthOfWords({ text, last }: CheckpointStep): number {
  if (last === true) return 3;
  return text.length <= ANNOUNCEMENT && /[:：…]$/.test(text.trimEnd()) ? 0.7 : 2;
}

function namesNow({ files, changed }: OfferDraft): Offered['changed'] {
  const now = [...changed].map((path) => {
    const file = files.get(fileKey({ files }, path));
    return [path, file && { lines: linesOfNames(path, file), whole: file.whole }] as const;
  });
  return new Map(now);
}

/**
 * Updates a name to the current content of its file. Returns an empty list if the whole file is known and no longer
 * contains the name. Returns the name without a line if its line is no longer known.
 */
export function asNow(one: FileName, changed: Offered['changed']): readonly FileName[] {
  if (!changed.has(one.path)) return [one];
  const now = changed.get(one.path);
  const line = now?.lines.get(one.name);
  if (now?.whole === true && line === undefined) return [];
  const { line: _, ...name } = one;
  return [line === undefined || line === 0 ? name : { ...name, line }];
}

interface OfferDraft {
  readonly own: Candidate[];
  readonly found: Candidate[];
  readonly names: FileName[];
  readonly files: Map<string, SeenFile>;
  readonly changed: Set<string>;
}

function offerCall(draft: OfferDraft, call: ClosedCall, isLoader: boolean, mentions: Mentions): void {
  const value = parseArguments(call.arguments) ?? {};
  const deed = deedOf(call);
  const path = pathOf(call, value);
  const output = call.ended === undefined || isLoader ? '' : shownByTerminal(wordsOf(call.ended.parts));
  const returned = call.closing === 'returned';
  if (deed === 'read' && path !== undefined && returned) return offerRead(draft, call, path, output, value, mentions);
  if (deed === 'changed' && path !== undefined) {
    draft.own.push({ step: did(call, changeInWords(draft, call, path, value, returned)), worth: 1.5 });
    if (returned) offerChange(draft, call, path, value, mentions);
    else offerLines(draft, call, output, mentions);
    return;
  }
  draft.own.push({ step: did(call, callInWords(call, value)), worth: 1.5 });
  offerLines(draft, call, output, mentions);
}

function did({ asked }: ClosedCall, text: string): CheckpointStep {
  return { position: asked, kind: 'did', text };
}

function pathOf(call: ClosedCall, value: Readonly<Record<string, unknown>>): string | undefined {
  const deed = deedOf(call);
  if (deed !== 'read' && deed !== 'changed') return undefined;
  return call.ended?.files?.[0]?.path ?? fileIn(call.name, deed, value);
}

function callInWords(call: ClosedCall, value: Readonly<Record<string, unknown>>): string {
  const outcome = call.closing === 'returned' ? '' : ` (${call.closing})`;
  const raw = textIn(value, ['command', 'cmd']);
  if (raw !== undefined && commandIn(value) !== undefined)
    return `${oneLine(call.name)}${outcome}: ${excerptOf(raw.trim(), ARGUMENT)}`;
  const named = Object.entries(value).map(
    ([name, one]) => `${name}: ${lineOf(typeof one === 'string' ? one : JSON.stringify(one), ARGUMENT)}`,
  );
  return `${oneLine(call.name)}${outcome} ${named.join(', ')}`.trim();
}

/** Returns a change as text: its path, the heading of each hunk, and the lines of a small hunk. */
function changeInWords(
  { files }: Pick<OfferDraft, 'files'>,
  call: ClosedCall,
  path: string,
  value: Readonly<Record<string, unknown>>,
  returned: boolean,
): string {
  const outcome = returned ? '' : ` (${call.closing})`;
  let file = files.get(fileKey({ files }, path));
  const all = hunksIn(value);
  const hunks = all.map((hunk) => {
    const { was, is } = hunk;
    const head = headingAbove(path, file, hunk);
    file = fileBehind(file, hunk);
    const lines = changedLines(was, is);
    const place = head === undefined ? 'an unknown place' : lineOf(head, 100);
    const where = head === undefined && all.length === 1 ? [] : [`in ${place}`];
    return [...where, ...(lines.length <= CHANGED ? lines.map((line) => lineOf(line, LINE)) : [])].join('\n');
  });
  const [first = '', ...below] = [...new Set(hunks)].flatMap((hunk) => (hunk === '' ? [] : hunk.split('\n')));
  const head = `${oneLine(call.name)}${outcome} ${oneLine(path)}`;
  return first.startsWith('in ') || first === ''
    ? [`${head} ${first}`.trimEnd(), ...below].join('\n')
    : [head, first, ...below].join('\n');
}

function hunksIn(value: Readonly<Record<string, unknown>>): readonly Hunk[] {
  const edits = value['edits'];
  const given = Array.isArray(edits) ? edits : [value];
  return given.flatMap((one: unknown): readonly Hunk[] => {
    if (typeof one !== 'object' || one === null) return [];
    const hunk = Object.fromEntries(Object.entries(one));
    const was = textIn(hunk, ['old_string', 'oldText', 'old_text', 'oldString', 'old', 'search', 'find']);
    const is = textIn(hunk, [
      'new_string',
      'newText',
      'new_text',
      'newString',
      'new',
      'replace',
      'content',
      'file_text',
      'new_source',
      'text',
    ]);
    const all = hunk['replace_all'] === true || hunk['replaceAll'] === true || hunk['all'] === true;
    const whole = was === undefined && textIn(hunk, ['content', 'file_text']) !== undefined;
    return was === undefined && is === undefined
      ? []
      : [defined({ was: was === undefined ? undefined : unix(was), is: unix(is ?? ''), all, whole })];
  });
}

function unix(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/**
 * Returns the removed lines, then the added lines. Lines that both texts contain are omitted. Returns no lines if there
 * is no old text, as for a new file.
 */
function changedLines(was: string | undefined, is: string): readonly string[] {
  if (was === undefined) return [];
  const [before, after] = [was.split('\n'), is.split('\n')];
  const [gone, come] = [new Set(after), new Set(before)];
  const marked = (lines: readonly string[], other: ReadonlySet<string>, mark: string): readonly string[] =>
    lines.flatMap((line) => (line.trim() === '' || other.has(line) ? [] : [`${mark} ${line.trim()}`]));
  return [...marked(before, gone, '-'), ...marked(after, come, '+')];
}

const NUMBER = /^\s*(\d+)(?:→|\t|: |\| ?)/;

/**
 * Returns the lines of a result without the line numbers that some tools print. `first` is the first printed number, if
 * there is one.
 */
function numberedLines(output: string): { readonly lines: readonly string[]; readonly first?: number } {
  const lines = output.replaceAll('\r\n', '\n').split('\n');
  const first = NUMBER.exec(lines[0] ?? '')?.[1];
  return defined({
    lines: lines.map((line) => line.replace(NUMBER, '')),
    first: first === undefined ? undefined : Number(first),
  });
}

/**
 * Returns the path under which the file was seen before. A tool can name the same file by an absolute path or relative
 * to the workspace.
 */
function fileKey({ files }: Pick<OfferDraft, 'files'>, path: string): string {
  if (files.has(path)) return path;
  const plain = path.replace(/^(?:\.\/)+/, '');
  const same = [...files.keys()].filter((one) => one.endsWith(`/${plain}`) || plain.endsWith(`/${one}`));
  return same.length === 1 && same[0] !== undefined ? same[0] : path;
}

function offerRead(
  draft: OfferDraft,
  call: ClosedCall,
  path: string,
  output: string,
  value: Readonly<Record<string, unknown>>,
  mentions: Mentions,
): void {
  const offset = Number(value['offset'] ?? 1);
  const { lines, first = Number.isSafeInteger(offset) ? Math.max(1, offset) : 1 } = numberedLines(output);
  const isWhole = first === 1 && value['limit'] === undefined && call.ended?.shaping === undefined && !looksCut(output);
  draft.files.set(fileKey(draft, path), { lines, first, whole: isWhole });
  offerNames(draft, call, path, lines, first, mentions, 1);
}

function offerChange(
  draft: OfferDraft,
  call: ClosedCall,
  path: string,
  value: Readonly<Record<string, unknown>>,
  mentions: Mentions,
): void {
  draft.changed.add(path);
  draft.changed.add(fileKey(draft, path));
  for (const hunk of hunksIn(value)) {
    offerNames(draft, call, path, hunk.is.split('\n'), undefined, mentions, 2);
    if (hunk.was !== undefined) offerNames(draft, call, path, hunk.was.split('\n'), undefined, mentions, 1.5);
    const key = fileKey(draft, path);
    const file = fileBehind(draft.files.get(key), hunk);
    if (file === undefined) draft.files.delete(key);
    else draft.files.set(key, file);
  }
}

/** Escape sequence in a string literal, such as `\\n`, and the terminal color code after it, if there is one. */
const ESCAPE = /\\(?:[nrtbfve0]|u[\da-fA-F]{4}|x[\da-fA-F]{2}|033)(?:\[[\d;]*m)?/g;

/**
 * Adds the names in a text of a file. Names that the text declares, and names mentioned elsewhere, have the highest
 * worth.
 */
function offerNames(
  draft: OfferDraft,
  { position }: ClosedCall,
  path: string,
  lines: readonly string[],
  first: number | undefined,
  mentions: Mentions,
  base: number,
): void {
  const declared = new Map(
    headingsIn(path, lines).flatMap(({ name, index }) => (name === undefined ? [] : [[name, index] as const])),
  );
  const at = (index: number): Pick<NameInFile, 'line'> => (first === undefined ? {} : { line: index + first });
  const seen = new Set<string>();
  for (const [name, index] of declared) {
    seen.add(name);
    const worth = (base + 1.5 + referredTo(name, position, mentions)) * fresh(name, mentions);
    draft.names.push({ position, path, name, ...at(index), declared: true, worth });
  }
  for (const [index, line] of lines.entries())
    for (const { name, kind } of namesIn(line.replaceAll(ESCAPE, ' '))) {
      // Words in capitals are skipped. They are mostly SQL keywords, format names or emphasis, and not names in code.
      if (seen.has(name) || kind !== 'symbol' || /^[A-Z]+$/.test(name)) continue;
      seen.add(name);
      const worth = (base + referredTo(name, position, mentions)) * fresh(name, mentions);
      draft.names.push({ position, path, name, ...at(index), worth });
    }
}

const ERROR =
  /\b(?:error|errors|failed|failure|exception|panic|fatal|traceback|cannot|undefined|not found|denied|expected)\b|[✗✘×]/i;

const PLACE = /[\w/.-]+\.[a-z]{1,5}[:(]\d+/;

function offerLines(draft: OfferDraft, { position }: ClosedCall, output: string, mentions: Mentions): void {
  const seen = new Set<string>();
  const lines = output.split('\n');
  for (const [index, raw] of lines.entries()) {
    const text = raw.trim();
    if (text.length < 4 || seen.has(text)) continue;
    seen.add(text);
    const keptLine = lineOf(text, LINE);
    const names = namesIn(keptLine);
    let worth = 0;
    for (const { name, kind } of names)
      if (kind !== 'member') worth += (1 + referredTo(name, position, mentions)) * fresh(name, mentions);
    // Only the kept part of a line is tested, because testing a whole long line could take quadratic time.
    if (ERROR.test(keptLine)) worth += PLACE.test(keptLine) ? 4 : 2;
    if (index === lines.length - 1) worth += 1;
    if (worth > 0) draft.found.push({ step: { position, kind: 'found', text: keptLine }, worth });
  }
}

/**
 * Returns the additional worth of a name that prompts or answers mention. It is 2 if the last mention is after
 * `position`, otherwise 1. The number of mentions adds up to 2 more. Returns 0 without a mention.
 */
function referredTo(name: string, position: number, { last, count }: Mentions): number {
  const at = last.get(name);
  if (at === undefined) return 0;
  return (at > position ? 2 : 1) + Math.min(2, (count.get(name) ?? 0) / 3);
}

/**
 * Returns the factor for the worth of a name. If records after the range mention the name, the factor is 0.15, because
 * the checkpoint does not need to repeat the name. Otherwise the factor is 1.
 */
function fresh(name: string, { behind: later }: Mentions): number {
  return later.has(name) ? 0.15 : 1;
}
