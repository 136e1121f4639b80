// One edit of a text: the old words must stand there exactly, and once, unless every place is meant. Pure.

import { WorkspaceError } from '../workspace-error.ts';
import { lineEnd, withLineEnds } from '../write/text-form.ts';
import { nearestLines } from './nearest-lines.ts';

/** What to change. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** The text behind the edit. */
export interface Edited {
  readonly text: string;
  /** The 1-based line of each place that was changed. */
  readonly lines: readonly number[];
}

/** @throws WorkspaceError `workspace/no-match` with the nearest lines, `workspace/many-matches` with the places. */
export function applyEdit(file: string, edit: Edit, shown: string): Edited {
  const found = findText(file, edit.oldText);
  if (found.length === 0) throw noMatch(file, edit.oldText, shown);
  if (found.length > 1 && !edit.replaceAll) throw manyMatches(found, shown);
  const places = apart(found);
  let text = '';
  let at = 0;
  for (const place of places) {
    text += file.slice(at, place.from) + inEndsOf(file, place, edit.newText);
    at = place.to;
  }
  return { text: text + file.slice(at), lines: places.map((place) => place.line) };
}

/** New lines end as those that they replace, and where there are none as most of the file. */
function inEndsOf(file: string, { from, to }: Stretch, words: string): string {
  const replaced = file.slice(from, to);
  return withLineEnds(words, lineEnd(replaced.includes('\n') ? replaced : file));
}

function noMatch(file: string, oldText: string, shown: string): WorkspaceError {
  const near = nearestLines(file, oldText);
  const missing = `old_text is not in ${shown}; nothing was written.`;
  if (near === undefined)
    return new WorkspaceError('workspace/no-match', `${missing} Nothing in it is like it: read the file.`);
  const why = near.onlySpace ? 'It differs in white space alone from' : 'Nearest to it is';
  return new WorkspaceError(
    'workspace/no-match',
    `${missing} ${why} what stands at line ${near.line}:\n${near.text}\n[copy old_text from the file as it stands]`,
    { line: near.line },
  );
}

const MOST_PLACES = 10;

function manyMatches(found: readonly Stretch[], shown: string): WorkspaceError {
  const lines = found.slice(0, MOST_PLACES).map(({ line }) => line);
  const more = found.length > MOST_PLACES ? ', …' : '';
  return new WorkspaceError(
    'workspace/many-matches',
    `old_text stands ${found.length} times in ${shown}, at lines ${lines.join(', ')}${more}; nothing was written. Give more lines around it, or set replace_all.`,
    { places: found.length },
  );
}

// Finds a text in a file. A line feed of the text matches any line end of the file; every other character matches only itself.

/** A stretch of the file: offsets in UTF-16 units, the end behind it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The 1-based line it begins in. */
  readonly line: number;
}

/** One line end, never the second half of one: it would count twice. */
const LINE_END = String.raw`(?:\r\n|(?<!\r)\n)`;

/** Every place where the text stands, those that overlap too: text that stands in two overlapping places is not unique. */
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

/** Those of them that stand apart, from the first one on. */
function apart(found: readonly Stretch[]): readonly Stretch[] {
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

/** The line as a pattern that means exactly it. */
function literal(line: string): string {
  return line.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
