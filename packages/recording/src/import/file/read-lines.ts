// Reads bytes and yields lines. Only one chunk and one unfinished line are in memory at a time, for a file of any size.

/** Line of a file, with its number from 1. It has a text, or the reason why it has no text. */
export type FileLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/** Maximum length of a line, in bytes. A longer line is skipped and reported, because real records are shorter. */
const LONGEST_LINE: number = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Yields the lines of UTF-8 text, several at a time, numbered from 1. A last line without a newline counts as a line. A
 * byte order mark at the start, and a carriage return at the end of a line, are dropped. A line longer than `longest`
 * bytes is reported without its text.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<readonly FileLine[]> {
  const reader = new LineReader(longest);
  for await (const chunk of chunks) {
    const lines = reader.take(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = reader.end();
  if (last !== undefined) yield [last];
}

class LineReader {
  readonly #longest: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #held = 0;
  #number = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  take(chunk: Uint8Array): readonly FileLine[] {
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      lines.push(this.#cut());
      start = end + 1;
    }
    // The unfinished line is copied, because the source may reuse its buffer.
    if (start < chunk.length) this.#hold(new Uint8Array(chunk.subarray(start)));
    return lines;
  }

  end(): FileLine | undefined {
    return this.#held === 0 ? undefined : this.#cut();
  }

  #hold(piece: Uint8Array): void {
    this.#held += piece.length;
    if (this.#held <= this.#longest) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #cut(): FileLine {
    this.#number += 1;
    const number = this.#number;
    const [first, ...rest] = this.#pieces;
    const bytes = rest.length === 0 ? (first ?? new Uint8Array()) : Buffer.concat(this.#pieces, this.#held);
    const length = this.#held;
    this.#pieces = [];
    this.#held = 0;
    if (length > this.#longest) return { number, reason: `longer than ${this.#longest} bytes (${length})` };
    return this.#decode(number, bytes);
  }

  #decode(number: number, bytes: Uint8Array): FileLine {
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    try {
      const text = this.#decoder.decode(bytes.subarray(0, end));
      return { number, text: number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text };
    } catch {
      return { number, reason: 'not UTF-8 text' };
    }
  }
}
