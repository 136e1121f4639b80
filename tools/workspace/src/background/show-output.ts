// Shows the output of a background process: decodes it, masks its secrets and marks its gaps.

import type { Secrets } from '@tidemark/agent';
import type { OutputPiece, OutputRing } from './output-ring.ts';

/** Shown part of an output. */
export interface ShownOutput {
  readonly text: string;
  /** Offset in bytes from which the next part is shown. */
  readonly next: number;
  /** Bytes in gaps. */
  readonly dropped: number;
}

/** Longest incomplete line that is shown again when it is complete. */
const LONGEST_LINE = 4_096;

/**
 * Returns the output from an offset in bytes.
 *
 * @param isOpen True if the process may write more. An incomplete last line is then shown again by the next call. A part
 *   of it could otherwise be a part of a secret, which only the whole line shows.
 */
export async function showOutput(
  ring: OutputRing,
  from: number,
  { secrets, isOpen }: { readonly secrets: Pick<Secrets, 'maskPart'>; readonly isOpen: boolean },
): Promise<ShownOutput> {
  let text = '';
  let dropped = 0;
  let next = from;
  const pieces = ring.piecesFrom(from);
  for (const [index, piece] of pieces.entries()) {
    if (piece.gap > 0) text += `${endLine(text)}[${piece.gap} bytes of the output were not kept]\n`;
    dropped += piece.gap;
    const shown = await showPiece(piece, secrets, isOpen && index === pieces.length - 1);
    text += shown.text;
    next = piece.at + shown.next;
  }
  return { text, next, dropped };
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

async function showPiece(
  { bytes, from, to }: OutputPiece,
  secrets: Pick<Secrets, 'maskPart'>,
  isOpen: boolean,
): Promise<{ readonly text: string; readonly next: number }> {
  const [before, inside, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)].map(decode);
  const start = before?.length ?? 0;
  const whole = `${before}${inside}${after}`;
  const end = start + (inside?.length ?? 0);
  const masked = await secrets.maskPart(whole, { from: start, to: end, isOpen });
  if (!isOpen) return { text: masked.text, next: to };
  return { text: masked.text, next: from + takenBytes(bytes.subarray(from, to), whole.slice(start, masked.end)) };
}

/** Returns the number of bytes that were shown finally: up to the last line end, or everything if the line is long. */
function takenBytes(bytes: Buffer, shown: string): number {
  const end = shown.lastIndexOf('\n') + 1;
  if (shown.length - end > LONGEST_LINE)
    return Buffer.byteLength(shown) <= bytes.length ? Buffer.byteLength(shown) : bytes.length;
  let at = 0;
  for (let lines = shown.slice(0, end).split('\n').length - 1; lines > 0; lines -= 1) at = bytes.indexOf(0x0a, at) + 1;
  return at;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
