// Reads the tags and texts of an HTML document one after the other. No tree is built, and the work grows in proportion to
// the length of the document, whatever its nesting is.

import { Tokenizer } from 'htmlparser2';

/** Receives the parts of a document, in their order. Names are in lower case. */
export interface TagReader {
  /** `at` is the place of the sign `<`. */
  open?(name: string, at: number): void;
  /** The tag that was opened last closes itself, as `<path/>`. */
  selfClosed?(): void;
  close?(name: string, at: number): void;
  /** Text with its character references decoded. One text can arrive in several parts. */
  text?(text: string): void;
}

/** Reads a document. */
export function readTags(html: string, reader: TagReader): void {
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, end) => reader.open?.(html.slice(start, end).toLowerCase(), start - 1),
      onselfclosingtag: () => reader.selfClosed?.(),
      onclosetag: (start, end) => reader.close?.(html.slice(start, end).toLowerCase(), start - 2),
      ontext: (start, end) => reader.text?.(html.slice(start, end)),
      ontextentity: (code) => reader.text?.(String.fromCodePoint(code)),
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
