// The steps of a range before any bound: words, calls, and lines of results with how likely they are needed again; and what
// stands in the files that were read or changed.

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

/** A step or a name that may be kept, and its worth: about how often it is expected to be needed. */
export interface Candidate {
  readonly step: CheckpointStep;
  readonly worth: number;
}

/** A name that stands in a file. */
export interface FileName extends NameInFile {
  readonly position: Position;
  readonly path: string;
  readonly worth: number;
}

/** What a range offers to a checkpoint. */
export interface Offered {
  /** Words and calls: kept before all others. */
  readonly own: readonly Candidate[];
  readonly found: readonly Candidate[];
  readonly names: readonly FileName[];
  /** Files that changed, with the line of each name in them; `undefined` where what they hold now is not known. */
  readonly changed: ReadonlyMap<string, NamesNow | undefined>;
}

/** The names of a file that changed, and whether it holds no others. */
export interface NamesNow {
  readonly lines: ReadonlyMap<string, number>;
  readonly whole: boolean;
}

/** Longest line of a result that is kept, and longest argument, in UTF-16 units. */
const LINE = 240;

const ARGUMENT = 600;

/** Lines of a change that are shown as they are. */
const CHANGED = 3;

/** Finds what a range offers. */
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

/** Longest announcement of a call, in UTF-16 units. */
const ANNOUNCEMENT = 200;

/** Words that only announce the call behind them say less than the call. */
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

/** Returns a name as its file holds it now: none where it is gone, without a line where that is no longer known. */
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

/** A call in one line, or its command with the beginning and the end of a long one. */
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

/** A change: its path, the heading of each hunk, and the lines of a small one. */
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
    const place = head === undefined ? 'a place that was not seen' : lineOf(head, 100);
    const where = head === undefined && all.length === 1 ? [] : [`in ${place}`];
    return [...where, ...(lines.length <= CHANGED ? lines.map((line) => lineOf(line, LINE)) : [])].join('\n');
  });
  const [first = '', ...below] = [...new Set(hunks)].flatMap((hunk) => (hunk === '' ? [] : hunk.split('\n')));
  const head = `${oneLine(call.name)}${outcome} ${oneLine(path)}`;
  return first.startsWith('in ') || first === ''
    ? [`${head} ${first}`.trimEnd(), ...below].join('\n')
    : [head, first, ...below].join('\n');
}

/** The hunks in the arguments of a tool that writes or edits. */
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

/** The lines that a hunk takes away and adds, without those that both sides have. */
function changedLines(was: string | undefined, is: string): readonly string[] {
  if (was === undefined) return [];
  const [before, after] = [was.split('\n'), is.split('\n')];
  const [gone, come] = [new Set(after), new Set(before)];
  const marked = (lines: readonly string[], other: ReadonlySet<string>, mark: string): readonly string[] =>
    lines.flatMap((line) => (line.trim() === '' || other.has(line) ? [] : [`${mark} ${line.trim()}`]));
  return [...marked(before, gone, '-'), ...marked(after, come, '+')];
}

const NUMBER = /^\s*(\d+)(?:→|\t|: |\| ?)/;

/** The lines of a result without the numbers that a tool puts before them, and the first of these numbers. */
function numberedLines(output: string): { readonly lines: readonly string[]; readonly first?: number } {
  const lines = output.replaceAll('\r\n', '\n').split('\n');
  const first = NUMBER.exec(lines[0] ?? '')?.[1];
  return defined({
    lines: lines.map((line) => line.replace(NUMBER, '')),
    first: first === undefined ? undefined : Number(first),
  });
}

/** The path under which a file was met before: a tool may name it from the workspace on, and another one from the root. */
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

/** An escape in a string of code, with the colour of a terminal behind it. */
const ESCAPE = /\\(?:[nrtbfve0]|u[\da-fA-F]{4}|x[\da-fA-F]{2}|033)(?:\[[\d;]*m)?/g;

/** The names in a text of a file. Those that it declares, and those that are referred to, are worth most. */
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
      // Capitals alone are words of SQL, of formats and of emphasis more often than names.
      if (seen.has(name) || kind !== 'symbol' || /^[A-Z]+$/.test(name)) continue;
      seen.add(name);
      const worth = (base + referredTo(name, position, mentions)) * fresh(name, mentions);
      draft.names.push({ position, path, name, ...at(index), worth });
    }
}

const ERROR =
  /\b(?:error|errors|failed|failure|exception|panic|fatal|traceback|cannot|undefined|not found|denied|expected)\b|[✗✘×]/i;

const PLACE = /[\w/.-]+\.[a-z]{1,5}[:(]\d+/;

/** The lines of a result, each with what of it is likely to be needed. */
function offerLines(draft: OfferDraft, { position }: ClosedCall, output: string, mentions: Mentions): void {
  const seen = new Set<string>();
  const lines = output.split('\n');
  for (const [index, raw] of lines.entries()) {
    const text = raw.trim();
    if (text.length < 4 || seen.has(text)) continue;
    seen.add(text);
    const kept = lineOf(text, LINE);
    const names = namesIn(kept);
    let worth = 0;
    for (const { name, kind } of names)
      if (kind !== 'member') worth += (1 + referredTo(name, position, mentions)) * fresh(name, mentions);
    // Of the kept part alone: the whole of a long line would take time with the square of its length.
    if (ERROR.test(kept)) worth += PLACE.test(kept) ? 4 : 2;
    if (index === lines.length - 1) worth += 1;
    if (worth > 0) draft.found.push({ step: { position, kind: 'found', text: kept }, worth });
  }
}

/** How much a name is worth because prose or inputs hold it, most where they do so later. */
function referredTo(name: string, position: number, { last, count }: Mentions): number {
  const at = last.get(name);
  if (at === undefined) return 0;
  return (at > position ? 2 : 1) + Math.min(2, (count.get(name) ?? 0) / 3);
}

/** What stands behind the checkpoint need not stand in it. */
function fresh(name: string, { behind }: Mentions): number {
  return behind.has(name) ? 0.15 : 1;
}
