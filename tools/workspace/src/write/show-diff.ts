// Shows the changes of a file as a unified diff without file headers, with a limited size.

import { cutBeforeWord } from '../page/cut-line.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_EDITS = 1_000;
const MAX_LINES = 120;
const LONGEST_LINE = 400;

/** Line that replaces the diff of a large file. */
export const TOO_LARGE = '(too large for a diff)';

/**
 * Returns the hunks of the diff. If the diff is omitted, returns one line with the reason. A different line end or byte
 * order mark does not count as a change.
 */
export async function showDiff(before: string, after: string): Promise<string> {
  if (before.length + after.length > MAX_BYTES) return TOO_LARGE;
  // The 19 modules of this package are loaded only when the session writes for the first time.
  const { structuredPatch } = await import('diff');
  const options = { context: 3, maxEditLength: MAX_EDITS, stripTrailingCr: true };
  const patch = structuredPatch('', '', plain(before), plain(after), '', '', options);
  if (patch === undefined) return '(too many changes for a diff)';
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines.map(shorten),
  ]);
  const left = lines.length - MAX_LINES;
  return left > 0
    ? [...lines.slice(0, MAX_LINES), `(${left} more lines of the diff are not shown)`].join('\n')
    : lines.join('\n');
}

function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function shorten(line: string): string {
  return cutBeforeWord(line, LONGEST_LINE);
}
