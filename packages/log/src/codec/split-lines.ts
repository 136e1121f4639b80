// Chunks of a file become lines. The newline is the commit mark: what stands behind the last one is no line.

/** One line of a file, newline excluded. Its bytes are valid until the next chunk comes. */
export interface RawLine {
  readonly bytes: Uint8Array;
  /** 1-based. */
  readonly number: number;
  /** Offset of its first byte in the file. */
  readonly offset: number;
}

/** Splits what it is fed. */
export interface LineSplitter {
  /** The lines that this chunk ends. The chunk may be used again afterwards. */
  split(chunk: Uint8Array): Iterable<RawLine>;
  /** Bytes behind the last newline. */
  readonly pending: number;
  /** Returns true once `pending` exceeds `LONGEST_LINE`. Those bytes are not kept: the line comes without them. */
  readonly tooLong: boolean;
  /** What stands there, as a line that never ended. */
  tail(): RawLine;
}

/** Longest line of a log, in bytes. A file without an end of line, such as a sparse one of 20 GB, is not read further. */
export const LONGEST_LINE: number = 256 * 1_024 * 1_024;

const NEWLINE = 0x0a;

/** A splitter for a file that is read from `offset`, where line `number` begins. */
export function createLineSplitter(offset: number, number: number): LineSplitter {
  let pieces: Uint8Array[] = [];
  let pending = 0;
  let at = offset;
  let next = number;
  function* split(chunk: Uint8Array): Generator<RawLine> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      const length = pending + rest.length;
      const bytes = pending === 0 ? rest : join([...pieces, rest], length);
      const line = { bytes, number: next, offset: at };
      pieces = [];
      pending = 0;
      start = end + 1;
      at += length + 1;
      next += 1;
      yield line;
    }
    if (start === chunk.length) return;
    // A copy: `slice` of a Node buffer would be a view of bytes that are about to be overwritten.
    pieces.push(new Uint8Array(chunk.subarray(start)));
    pending += chunk.length - start;
    if (pending > LONGEST_LINE) pieces = [];
  }
  return {
    split,
    get pending() {
      return pending;
    },
    get tooLong() {
      return pending > LONGEST_LINE;
    },
    tail: () => ({ bytes: join(pieces, pending), number: next, offset: at }),
  };
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (length > LONGEST_LINE) return new Uint8Array();
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
