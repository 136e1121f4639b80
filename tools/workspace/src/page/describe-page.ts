// A page as the model sees it: the words as they stand, so that they can be copied into `edit`, and behind them one line
// in brackets that says what else there is and how to read it. A whole file without oddities has no such line.

import { isUtf8 } from 'node:buffer';
import { WorkspaceError } from '../workspace-error.ts';
import type { RawPage } from './take-page.ts';

/** The words of a page. */
export interface PageText {
  readonly text: string;
  /** What the bracket says: `lines 1-2000 of 5310`, `read on with offset 2001`. Empty when nothing needs saying. */
  readonly notes: readonly string[];
}

/** @throws WorkspaceError `workspace/past-the-end`, which names the text as `shown`, where the first line is not there. */
export function requireLines({ request: { offset }, total }: RawPage, shown: string): void {
  if (offset <= Math.max(1, total)) return;
  throw new WorkspaceError(
    'workspace/past-the-end',
    `${shown} has ${count(total, 'line')}; line ${offset} is past its end. Read with a smaller offset.`,
    { lines: total, offset },
  );
}

/** Returns the words of a page and the notes on them. The text is named as `shown`. @throws as `requireLines`. */
export function describePage(page: RawPage, shown: string): PageText {
  const { offset, skipBytes } = page.request;
  requireLines(page, shown);
  if (page.total === 0) return { text: '', notes: [`${shown} is empty`] };
  // A mark of byte order is none of the words, except where a line in the middle begins with it.
  const text = new TextDecoder('utf-8', { ignoreBOM: offset > 1 || skipBytes > 0 }).decode(page.bytes);
  return {
    text,
    notes: [...extent(page), ...(isUtf8(page.bytes) ? [] : ['bytes that are no UTF-8 are shown as \uFFFD'])],
  };
}

/** The words, and the notes as a last line. */
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
      `line ${offset} of ${whole} is longer than a page: bytes ${skipBytes} to ${next} of it`,
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
