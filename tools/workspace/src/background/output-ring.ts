// Output of a background process in memory: its first and its last part. The middle of a long output is dropped, so a
// process whose output is not read does not wait, and does not fill the memory.

/** Bytes of the first and of the last part of an output that are shown. */
const HEAD = 64 * 1024;
const TAIL = 256 * 1024;

/**
 * Bytes next to a gap that are kept and never shown. They are only searched for secrets. A secret that the gap cuts in
 * two is therefore not shown in part.
 */
const MARGIN = 32 * 1024;

/** One piece of an output without a gap. */
export interface OutputPiece {
  /** Bytes to search for secrets. */
  readonly bytes: Buffer;
  /** Range in `bytes` to show. */
  readonly from: number;
  readonly to: number;
  /** Offset of `bytes` in the whole output. */
  readonly at: number;
  /** Bytes of the output directly before the shown range that are not kept. */
  readonly gap: number;
}

/** Bounded output of a process. */
export interface OutputRing {
  /** Takes a chunk. The caller may reuse the buffer afterwards. */
  push(chunk: Uint8Array): void;
  /** Number of bytes so far. */
  total(): number;
  /** Returns the output from an offset. The last piece ends at the end of the output. */
  piecesFrom(offset: number): readonly OutputPiece[];
}

/** Creates an empty output. */
export function createOutputRing(): OutputRing {
  const head = Buffer.alloc(HEAD + MARGIN);
  let tail: Buffer[] = [];
  let tailStart = 0;
  let total = 0;
  const trim = (): void => {
    for (let first = tail[0]; first !== undefined; first = tail[0]) {
      if (total - tailStart - first.length < TAIL + MARGIN) return;
      tail.shift();
      tailStart += first.length;
    }
  };
  return {
    push(chunk) {
      if (total < head.length) head.set(chunk.subarray(0, head.length - total), total);
      for (let at = 0; at < chunk.length; at += MARGIN) tail.push(Buffer.from(chunk.subarray(at, at + MARGIN)));
      total += chunk.length;
      trim();
      // Many small chunks would need more memory than their bytes.
      if (tail.length > 256) tail = [Buffer.concat(tail)].flatMap((all) => split(all));
    },
    total: () => total,
    piecesFrom(offset) {
      const from = Math.min(Math.max(0, offset), total);
      const last = Buffer.concat(tail);
      if (tailStart === 0 || from >= tailStart + MARGIN) return [pieceOf(last, tailStart, from, 0)];
      const isWhole = tailStart <= head.length;
      if (isWhole) {
        const whole = Buffer.concat([head.subarray(0, tailStart), last]);
        return [pieceOf(whole, 0, from, 0)];
      }
      const after = characterStart(last, MARGIN);
      if (from >= HEAD) return [pieceOf(last, tailStart, tailStart + after, tailStart + after - from)];
      const end = characterStart(head, HEAD);
      const first = { bytes: head, from, to: Math.max(from, end), at: 0, gap: 0 };
      return [first, pieceOf(last, tailStart, tailStart + after, tailStart + after - first.to)];
    },
  };
}

function split(all: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length; at += MARGIN) parts.push(all.subarray(at, at + MARGIN));
  return parts;
}

function pieceOf(bytes: Buffer, at: number, from: number, gap: number): OutputPiece {
  return { bytes, from: from - at, to: bytes.length, at, gap };
}

/** Returns the nearest offset at or before this one that is not inside a UTF-8 character. */
function characterStart(bytes: Buffer, offset: number): number {
  let at = Math.min(offset, bytes.length);
  for (let back = 0; back < 3 && at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80; back += 1) at -= 1;
  return at;
}
