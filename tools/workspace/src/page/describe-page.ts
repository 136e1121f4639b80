// Text of a page for the model. The text is exact, so the model can copy it into `edit`. The last line is in brackets.
// It describes the remaining text and how to read it. If the page is a whole file and there is nothing special to
// report, this line is missing.

import { isUtf8 } from 'node:buffer';
import { WorkspaceError } from '../workspace-error.ts';
import type { RawPage } from './take-page.ts';

/** Text of a page, and the notes about it. */
export interface PageText {
  readonly text: string;
  /**
   * Contents of the bracketed line, such as `lines 1-2000 of 5310` and `read on with offset 2001`. Empty if there is
   * nothing to report.
   */
  readonly notes: readonly string[];
}

/**
 * Checks that the first requested line exists.
 *
 * @param shown Name of the text in the error message.
 *
 * @throws WorkspaceError `workspace/past-the-end` when the offset is after the end.
 */
export function requireLines({ request: { offset }, total }: RawPage, shown: string): void {
  if (offset <= Math.max(1, total)) return;
  throw new WorkspaceError(
    'workspace/past-the-end',
    `${shown} has ${count(total, 'line')}; line ${offset} is after its end. Read with a smaller offset.`,
    { lines: total, offset },
  );
}

/**
 * Returns the text of a page and the notes about it.
 *
 * @param shown Name of the text in the notes and in the error message.
 *
 * @throws WorkspaceError `workspace/past-the-end`, like `requireLines`.
 */
export function describePage(page: RawPage, shown: string): PageText {
  const { offset, skipBytes } = page.request;
  requireLines(page, shown);
  if (page.total === 0) return { text: '', notes: [`${shown} is empty`] };
  // A byte order mark is removed only at the start of the whole text. At the start of a later page, the same character
  // belongs to the text.
  const text = new TextDecoder('utf-8', { ignoreBOM: offset > 1 || skipBytes > 0 }).decode(page.bytes);
  return {
    text,
    notes: [...extent(page), ...(isUtf8(page.bytes) ? [] : ['bytes that are not UTF-8 are shown as \uFFFD'])],
  };
}

/** Returns the text, followed by the notes as a last line. */
export function joinPage({ text, notes }: PageText): string {
  if (notes.length === 0) return text;
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  return `${text}${gap}[${notes.join('; ')}]`;
}

function extent({ request: { offset, skipBytes }, bytes, lines, total, cut, wholeBytes }: RawPage): readonly string[] {
  const whole = wholeBytes === undefined ? `${total}` : `a file of ${wholeBytes} bytes`;
  if (cut) {
    const next = skipBytes + bytes.length;
    return [
      `line ${offset} of ${whole} is longer than a page: its bytes ${skipBytes} to ${next} are shown`,
      `read on with offset ${offset} and skip_bytes ${next}`,
    ];
  }
  const last = offset + lines - 1;
  const isMore = last < total || wholeBytes !== undefined;
  if (offset === 1 && skipBytes === 0 && !isMore) return [];
  const from = skipBytes === 0 ? '' : ` from byte ${skipBytes} of line ${offset}`;
  const extentOf = `lines ${offset}-${last} of ${whole}${from}`;
  return isMore ? [extentOf, `read on with offset ${last + 1}`] : [extentOf];
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
