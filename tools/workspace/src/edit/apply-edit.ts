// Applies edits to a text. Reads and writes no files. Each edit is applied to the original text, so no edit depends on
// another. An old text must match exactly. Unless its edit replaces all occurrences, it must occur exactly one time.

import { WorkspaceError } from '../workspace-error.ts';
import { lineEnd, withLineEnds } from '../write/text-form.ts';
import { nearestLines } from './nearest-lines.ts';

/** An edit: the text to find, and its replacement. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Result of one or more edits: the new text and the changed lines. */
export interface Edited {
  readonly text: string;
  /** Line number of each changed place in the text before the edits, in the order of the text, starting at 1. */
  readonly lines: readonly number[];
}

/** A place to replace, with the 1-based number of its edit. */
interface Replacement extends Stretch {
  readonly edit: number;
  readonly words: string;
}

/**
 * Returns the text after all edits. Every edit is applied to the original text.
 *
 * @throws WorkspaceError `workspace/no-match` with the nearest lines, `workspace/many-matches` with the line numbers of
 *   the matches, `workspace/overlap` for two edits that change the same text. If there is more than one edit, the
 *   message begins with the number of the edit.
 */
export function applyEdits(file: string, edits: readonly Edit[], shown: string): Edited {
  const replacements = edits.flatMap((_, at) => replacementsOf(file, edits, at, shown));
  const places = replacements.toSorted((a, b) => a.from - b.from || a.to - b.to);
  let text = '';
  let at = 0;
  let before: Replacement | undefined;
  for (const place of places) {
    if (before !== undefined && place.from < before.to) throw overlap(before, place, shown);
    text += file.slice(at, place.from) + place.words;
    at = place.to;
    before = place;
  }
  return { text: text + file.slice(at), lines: places.map((place) => place.line) };
}

function replacementsOf(file: string, edits: readonly Edit[], at: number, shown: string): readonly Replacement[] {
  const edit = edits[at];
  if (edit === undefined) return [];
  const found = findText(file, edit.oldText);
  const name = edits.length === 1 ? '' : `edit ${at + 1} of ${edits.length}: `;
  if (found.length === 0) throw noMatch(file, edit.oldText, shown, name + madeBefore(edits, at));
  if (found.length > 1 && !edit.replaceAll) throw manyMatches(found, shown, name);
  return withoutOverlaps(found).map((place) => ({
    ...place,
    edit: at + 1,
    words: inEndsOf(file, place, edit.newText),
  }));
}

/** Returns the hint that an old text exists only in the text that an earlier edit of the same call would insert. */
function madeBefore(edits: readonly Edit[], at: number): string {
  const oldText = edits[at]?.oldText.replaceAll('\r\n', '\n') ?? '';
  const maker = edits.findIndex(
    ({ newText }, other) => other !== at && newText.replaceAll('\r\n', '\n').includes(oldText),
  );
  if (maker === -1) return '';
  return `every edit of a call is applied to the file as it is before the call, and edit ${maker + 1} would insert this text: make one edit of both. `;
}

function overlap(first: Replacement, second: Replacement, shown: string): WorkspaceError {
  const [one, other] = [first.edit, second.edit].toSorted((a, b) => a - b);
  return new WorkspaceError(
    'workspace/overlap',
    `edits ${one} and ${other} change the same text of ${shown} at line ${second.line}; nothing was written. Make one edit of both, or choose shorter texts.`,
    { line: second.line },
  );
}

/**
 * Returns `words` with the line ends of the replaced text. If the replaced text has no line end, uses the most common
 * line end of the file.
 */
function inEndsOf(file: string, { from, to }: Stretch, words: string): string {
  const replaced = file.slice(from, to);
  return withLineEnds(words, lineEnd(replaced.includes('\n') ? replaced : file));
}

function noMatch(file: string, oldText: string, shown: string, name: string): WorkspaceError {
  const near = nearestLines(file, oldText);
  const missing = `${name}old_text does not occur in ${shown}; nothing was written.`;
  if (near === undefined)
    return new WorkspaceError(
      'workspace/no-match',
      `${missing} No similar text was found: read the file, then copy old_text from it.`,
    );
  const why = near.onlySpace ? 'It differs only in white space from the text' : 'The most similar text is';
  return new WorkspaceError(
    'workspace/no-match',
    `${missing} ${why} at line ${near.line}:\n${near.text}\n[copy old_text exactly from the file]`,
    { line: near.line },
  );
}

const MAX_PLACES = 10;

function manyMatches(found: readonly Stretch[], shown: string, name: string): WorkspaceError {
  const lines = found.slice(0, MAX_PLACES).map(({ line }) => line);
  const more = found.length > MAX_PLACES ? ', …' : '';
  return new WorkspaceError(
    'workspace/many-matches',
    `${name}old_text occurs ${found.length} times in ${shown}, at lines ${lines.join(', ')}${more}; nothing was written. Include more lines around it, or set replace_all.`,
    { places: found.length },
  );
}

// The code below finds a text in a file. A line feed in the text matches any line end of the file. Every other
// character matches only itself.

/** A range of the file, as offsets in UTF-16 units. `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Number of the line in which the range begins, starting at 1. */
  readonly line: number;
}

/**
 * Pattern for one line end. It never matches only the second half of CRLF, because that line end would then be counted
 * two times.
 */
const LINE_END = String.raw`(?:\r\n|(?<!\r)\n)`;

/**
 * Returns every occurrence of the text, including overlapping ones. If a text has two overlapping occurrences, it is
 * not unique.
 */
function findText(file: string, text: string): readonly Stretch[] {
  const pattern = new RegExp(text.split(/\r?\n/).map(literal).join(LINE_END), 'g');
  const found: Stretch[] = [];
  let line = 1;
  let counted = 0;
  for (let match = pattern.exec(file); match !== null; match = pattern.exec(file)) {
    line += newlines(file, counted, match.index);
    counted = match.index;
    found.push({ from: match.index, to: match.index + match[0].length, line });
    pattern.lastIndex = match.index + 1;
  }
  return found;
}

/** Returns the occurrences in order. If an occurrence overlaps the last returned occurrence, it is left out. */
function withoutOverlaps(found: readonly Stretch[]): readonly Stretch[] {
  return found.reduce<Stretch[]>((kept, stretch) => {
    if (stretch.from >= (kept.at(-1)?.to ?? 0)) kept.push(stretch);
    return kept;
  }, []);
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function literal(line: string): string {
  return line.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
