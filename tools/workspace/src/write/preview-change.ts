// Creates the preview of a file change for the person who approves the change. The preview is the whole unified diff
// against the current file.

import type { ToolPreview } from '@tidemark/agent';
import { createHash } from 'node:crypto';
import type { WorkspacePlace } from '../confine/confine.ts';
import type { CurrentFile } from './current-file.ts';
import { textOf } from './text-form.ts';

/** Maximum number of characters of a preview. If a preview would be longer, it contains only digests and sizes. */
const MAX_CHARACTERS = 1024 * 1024;
/**
 * Maximum number of edits in a diff. If a change has more edits, the diff replaces all lines. It shows the same change
 * in more lines.
 */
const MAX_EDITS = 2_000;

type PreviewedFile = Omit<CurrentFile, 'form'>;

/** The change that a call would make to a file. */
export interface FileChange {
  readonly place: WorkspacePlace;
  /** Current file. `undefined` if it does not exist. */
  readonly current: PreviewedFile | undefined;
  readonly after: string;
}

/**
 * Returns the preview of a change as a diff. For a new file, the diff contains the whole content. If the preview would
 * have more than 1,048,576 characters, it contains only sizes and digests, and `unseen` gives the reason.
 */
export async function previewChange(change: FileChange): Promise<ToolPreview> {
  const { place, current, after } = change;
  const base = baseOf(current);
  const from = current === undefined ? '/dev/null' : place.shown;
  const text = [`--- ${from}`, `+++ ${place.shown}`, await bodyOf(current, after)].join('\n');
  if (text.length <= MAX_CHARACTERS) return { kind: 'diff', text, base };
  const unseen = `the change has ${text.length} characters, and at most ${MAX_CHARACTERS} are shown`;
  return { kind: 'diff', text: digestsOf(change, unseen), unseen, base };
}

/** Returns the state of the file on which a preview is based: its digest, or `absent`. */
export function baseOf(current: Pick<CurrentFile, 'digest'> | undefined): string {
  return current?.digest ?? 'absent';
}

function digestsOf({ place, current, after }: FileChange, unseen: string): string {
  const bytes = Buffer.from(after);
  const was = current === undefined ? 'absent' : `${current.stats.size} bytes, SHA-256 ${current.digest}`;
  const is = `${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`;
  return `--- ${place.shown}: ${was}\n+++ ${place.shown}: ${is}\n(${unseen})`;
}

async function bodyOf(current: PreviewedFile | undefined, after: string): Promise<string> {
  if (current === undefined) return after === '' ? '(an empty file)' : hunksOf('', after);
  const before = current.bytes === undefined ? undefined : textOf(current.bytes);
  if (before === undefined) {
    const what = current.bytes === undefined ? 'too large for a diff' : 'not UTF-8 text';
    const size = `${current.stats.size} bytes, SHA-256 ${current.digest}`;
    return `(the present file, ${size}, is ${what}; the change replaces all of it)\n${await hunksOf('', after)}`;
  }
  if (before === after) return '(the file already has exactly this content; nothing changes)';
  if (!endsInCrlf(before) || !endsInCrlf(after)) return hunksOf(before, after);
  return `(all line endings stay CRLF)\n${await hunksOf(before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n'))}`;
}

/** Returns true if the text has line ends and all its line ends are CRLF. */
function endsInCrlf(text: string): boolean {
  return text.includes('\n') && !/(?<!\r)\n|\r(?!\n)/.test(text);
}

/** Returns the hunks of a unified diff with three lines of context, without the names of the files. */
export async function hunksOf(before: string, after: string): Promise<string> {
  // The 19 modules of this package are loaded only when a person must approve a change for the first time.
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: MAX_EDITS });
  if (patch === undefined) return replacedLines(before, after);
  return patch.hunks
    .flatMap((hunk) => [
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@`,
      ...hunk.lines,
    ])
    .join('\n');
}

/**
 * Returns a range in the format of a unified diff. If the range is empty, its start is the number of the line before
 * it.
 */
function rangeOf(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

function replacedLines(before: string, after: string): string {
  const [old, next] = [linesOf(before), linesOf(after)];
  return [
    `@@ -${rangeOf(1, old.length)} +${rangeOf(1, next.length)} @@`,
    ...markLines('-', old, before),
    ...markLines('+', next, after),
  ].join('\n');
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return text.endsWith('\n') ? lines.slice(0, -1) : lines;
}

function markLines(sign: '-' | '+', lines: readonly string[], text: string): readonly string[] {
  return [...lines.map((line) => sign + line), ...(text.endsWith('\n') ? [] : ['\\ No newline at end of file'])];
}
