// Live output of a call: the masked output in pieces, for a person who watches. It is sent at a limited rate and is
// never stored. The result of the call contains the output, so text that is held back until the end is not sent.

import type { LivePiece, Secrets } from '../ports/secrets.ts';
import type { Surroundings } from '../ports/surroundings.ts';

/** Live output of one call. */
export interface LiveOutput {
  /** Takes a chunk. The caller may reuse the buffer afterwards. */
  write(chunk: string | Uint8Array): void;
  /** Ends the live output. Nothing is sent afterwards. */
  close(): void;
}

interface LiveOptions {
  readonly secrets: Secrets;
  readonly surroundings: Pick<Surroundings, 'wait'>;
  readonly send: (text: string) => void;
}

/** Minimum time between two pieces, in milliseconds. */
export const LIVE_PAUSE = 100;

/** Opens the live output of one call. `send` receives each piece. */
export function openLiveOutput({ secrets, surroundings, send }: LiveOptions): LiveOutput {
  const mask = secrets.openLive();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const over = new AbortController();
  let isSending = false;
  let hasMore = false;
  const run = async (): Promise<void> => {
    while (hasMore) {
      hasMore = false;
      await surroundings.wait(LIVE_PAUSE, over.signal, { idle: true });
      const piece = over.signal.aborted ? undefined : await mask.take();
      if (piece === undefined || over.signal.aborted) return;
      if (piece.text !== '') send(pieceText(piece));
    }
    isSending = false;
  };
  return {
    write(chunk) {
      if (over.signal.aborted || chunk.length === 0) return;
      mask.push(typeof chunk === 'string' ? decoder.decode() + chunk : decoder.decode(chunk, { stream: true }));
      hasMore = true;
      if (isSending) return;
      isSending = true;
      // If masking fails, the call fails too when its output is stored. The live output only stops.
      run().catch(() => over.abort());
    },
    close: () => over.abort(),
  };
}

function pieceText({ text, omitted }: LivePiece): string {
  return omitted === 0 ? text : `[tidemark: ${omitted} characters are not shown here]\n${text}`;
}

/** Maximum length of the output of one call that waits for a presenter, in characters. */
export const LONGEST_WAITING = 65_536;
/** Line that replaces output that a presenter did not take in time. */
export const NOT_SHOWN = '[tidemark: output is not shown here]\n';

/**
 * Joins two pieces of one call that wait for a slow presenter. If the text becomes too long, a line replaces its
 * middle.
 */
export function joinPieces(first: string, second: string): string {
  const text = first + second;
  if (text.length <= LONGEST_WAITING) return text;
  const part = LONGEST_WAITING / 4;
  const head = text.slice(0, lineEndBefore(text, part));
  const tail = text.slice(-part).replace(/^[^\n]*\n(?=[^])/, '');
  return `${head}${NOT_SHOWN}${tail}`.toWellFormed();
}

function lineEndBefore(text: string, most: number): number {
  return text.lastIndexOf('\n', most - 1) + 1;
}
