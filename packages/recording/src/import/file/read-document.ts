// Yields the lines of a transcript. Some agents write a session as one JSON document with a list of messages, printed
// with two spaces per level. Each message of such a document becomes one line, so that a document of any size is read in
// bounded memory, and a damaged document loses only the damaged message.

import type { FileLine } from './read-lines.ts';
import { readLines } from './read-lines.ts';

/** Maximum length of a joined line, in characters. A longer line is skipped and reported. */
const LONGEST: number = 64 * 1024 * 1024;

/**
 * Yields the lines of UTF-8 text as `readLines` does. If the first line is a single brace, the text is a JSON document:
 * then yields the fields before the list `messages` as one object, each element of this list, and the fields after it as
 * one object. Each has the number of its first line.
 */
export async function* readDocument(
  chunks: AsyncIterable<Uint8Array>,
  longest: number = LONGEST,
): AsyncGenerator<readonly FileLine[]> {
  let joiner: Joiner | undefined;
  let isFirst = true;
  for await (const lines of readLines(chunks)) {
    const [first] = lines;
    if (isFirst && first !== undefined && 'text' in first && first.text.trimEnd() === '{') joiner = new Joiner(longest);
    isFirst = false;
    const joined = joiner === undefined ? lines : lines.flatMap((line) => joiner?.take(line) ?? []);
    if (joined.length > 0) yield joined;
  }
  const last = joiner?.end() ?? [];
  if (last.length > 0) yield last;
}

class Joiner {
  readonly #longest: number;
  #place: 'fields' | 'list' | 'element' = 'fields';
  #pieces: string[] = [];
  #length = 0;
  /** Number of the first line, or 0 if there is none. */
  #number = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  take(line: FileLine): readonly FileLine[] {
    if (!('text' in line)) {
      // The element that contains this line is damaged.
      return [line, ...this.#cut()];
    }
    const text = line.text.trimEnd();
    switch (this.#place) {
      case 'fields':
        return this.#takeField(line.number, text);
      case 'list':
        return this.#takeStart(line.number, text);
      case 'element':
        return this.#takeElement(line.number, text);
    }
  }

  end(): readonly FileLine[] {
    return this.#place === 'element' ? this.#cut() : this.#cutFields();
  }

  #takeField(number: number, text: string): readonly FileLine[] {
    if (text === '  "messages": [') {
      this.#place = 'list';
      return this.#cutFields();
    }
    // The braces of the document are not part of the fields.
    if (text === '{') this.#number = number;
    else if (text !== '}') this.#add(number, text);
    return [];
  }

  #takeStart(number: number, text: string): readonly FileLine[] {
    if (text === '  ],' || text === '  ]') {
      this.#place = 'fields';
      return [];
    }
    this.#add(number, text);
    if (/^ {4}[{[]$/.test(text)) {
      this.#place = 'element';
      return [];
    }
    return this.#cut();
  }

  #takeElement(number: number, text: string): readonly FileLine[] {
    const isEnd = /^ {4}[}\]],?$/.test(text);
    // After a damaged element, the next one begins without the end of this one.
    if (!isEnd && /^ {4}[{[]$/.test(text)) {
      const torn = this.#cut();
      this.#add(number, text);
      return torn;
    }
    this.#add(number, text);
    if (!isEnd) return [];
    this.#place = 'list';
    return this.#cut();
  }

  #add(number: number, text: string): void {
    if (this.#length === 0 && this.#number === 0) this.#number = number;
    const piece = withoutSpaces(text);
    this.#length += piece.length;
    if (this.#length <= this.#longest) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #cutFields(): readonly FileLine[] {
    return this.#cut((text) => `{${text}}`);
  }

  #cut(wrap: (text: string) => string = (text) => text): readonly FileLine[] {
    const length = this.#length;
    const number = this.#number;
    const text = this.#pieces.join('').replace(/,$/, '');
    this.#pieces = [];
    this.#length = 0;
    this.#number = 0;
    if (length === 0) return [];
    if (length > this.#longest) return [{ number, reason: `longer than ${this.#longest} characters (${length})` }];
    return [{ number, text: wrap(text) }];
  }
}

// Removes the indentation and the space after a key. So the joined line is the text that `JSON.stringify` prints without
// indentation, and the arguments of a call have the same text in both forms.
function withoutSpaces(line: string): string {
  const text = line.trimStart();
  const end = text.startsWith('"') ? text.indexOf('": ') : -1;
  if (end === -1 || text[end - 1] === '\\') return text;
  return `${text.slice(0, end + 2)}${text.slice(end + 3)}`;
}
