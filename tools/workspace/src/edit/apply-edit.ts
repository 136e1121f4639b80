// One edit of a text: the old words must stand there exactly, and once, unless every place is meant. Pure.

import { WorkspaceError } from '../workspace-error.ts';
import { lineEnd, withLineEnds } from '../write/text-form.ts';
import type { Stretch } from './find-text.ts';
import { apart, findText } from './find-text.ts';
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
