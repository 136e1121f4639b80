// Applies one edit to a text. Reads and writes no files. The old text must match exactly. Unless the edit replaces all
// occurrences, it must occur exactly one time.

import { WorkspaceError } from '../workspace-error.ts';
import { lineEnd, withLineEnds } from '../write/text-form.ts';
import { nearestLines } from './nearest-lines.ts';

/** An edit: the text to find, and its replacement. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** Result of an edit: the new text and the changed lines. */
export interface Edited {
  readonly text: string;
  /** Line number of each changed place in the text before the edit, starting at 1. */
  readonly lines: readonly number[];
}

/**
 * Returns the text after the edit.
 *
 * @throws WorkspaceError `workspace/no-match` with the nearest lines, `workspace/many-matches` with the line numbers of
 *   the matches.
 */
export function applyEdit(file: string, edit: Edit, shown: string): Edited {
  const found = findText(file, edit.oldText);
  if (found.length === 0) throw noMatch(file, edit.oldText, shown);
  if (found.length > 1 && !edit.replaceAll) throw manyMatches(found, shown);
  const places = withoutOverlaps(found);
  let text = '';
  let at = 0;
  for (const place of places) {
    text += file.slice(at, place.from) + inEndsOf(file, place, edit.newText);
    at = place.to;
  }
  return { text: text + file.slice(at), lines: places.map((place) => place.line) };
}

/**
 * Returns `words` with the line ends of the replaced text. If the replaced text has no line end, uses the most common
 * line end of the file.
 */
function inEndsOf(file: string, { from, to }: Stretch, words: string): string {
  const replaced = file.slice(from, to);
  return withLineEnds(words, lineEnd(replaced.includes('\n') ? replaced : file));
}

function noMatch(file: string, oldText: string, shown: string): WorkspaceError {
  const near = nearestLines(file, oldText);
  const missing = `old_text does not occur in ${shown}; nothing was written.`;
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

function manyMatches(found: readonly Stretch[], shown: string): WorkspaceError {
  const lines = found.slice(0, MAX_PLACES).map(({ line }) => line);
  const more = found.length > MAX_PLACES ? ', …' : '';
  return new WorkspaceError(
    'workspace/many-matches',
    `old_text occurs ${found.length} times in ${shown}, at lines ${lines.join(', ')}${more}; nothing was written. Include more lines around it, or set replace_all.`,
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
