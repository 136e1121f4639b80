// Splits chunks of a file into lines. The newline is the commit mark: bytes after the last newline are not a line.

/** One line of a file, without its newline. Its bytes are valid only until the next chunk is read. */
export interface RawLine {
  readonly bytes: Uint8Array;
  /** Line number, 1-based. */
  readonly number: number;
  /** Offset of the line's first byte in the file. */
  readonly offset: number;
}

/** Splits the chunks of a file, passed in order, into lines. */
export interface LineSplitter {
  /** Yields the lines that end in this chunk. After that, the caller may reuse the chunk's memory. */
  split(chunk: Uint8Array): Iterable<RawLine>;
  /** Number of bytes after the last newline. */
  readonly pending: number;
  /**
   * True after `pending` exceeds `LONGEST_LINE`. The bytes of such a long line are dropped, and `tail` returns the line
   * without its bytes.
   */
  readonly tooLong: boolean;
  /** Returns the bytes after the last newline as an unfinished line. */
  tail(): RawLine;
}

/**
 * Longest line of a log, in bytes. A file with a longer line, such as a sparse file of 20 GB without newlines, counts
 * as damaged.
 */
export const LONGEST_LINE: number = 256 * 1_024 * 1_024;

const NEWLINE = 0x0a;

/** Creates a splitter for a file that is read from `offset`, where line `number` begins. */
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
    // The bytes are copied, because the caller may overwrite the chunk. `slice` of a Node.js buffer would not copy
    // them.
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
