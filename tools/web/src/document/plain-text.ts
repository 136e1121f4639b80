// Text of an HTML document without its markup. No tree is built, so the nesting of a hostile document has no effect.

import { Parser } from 'htmlparser2';

import { readTags } from './read-tags.ts';

const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);

const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Number of characters that the parser gets at a time. */
const CHUNK = 65_536;

/** Returns true if an element of the document has more than `most` elements around it. */
export function isNestedDeeper(html: string, most: number): boolean {
  const nesting = { depth: 0, deepest: 0 };
  const parser = new Parser({
    onopentagname() {
      nesting.depth += 1;
      nesting.deepest = Math.max(nesting.deepest, nesting.depth);
    },
    onclosetag() {
      nesting.depth -= 1;
    },
  });
  // The parser needs time in proportion to the nesting for each element, so it must not see the rest.
  for (let at = 0; at < html.length && nesting.deepest <= most; at += CHUNK) parser.write(html.slice(at, at + CHUNK));
  return nesting.deepest > most;
}

/** Elements that have no content and are never closed. */
const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** Returns the text of a document. Each block begins on a new line. */
export function plainText(html: string): string {
  const lines: string[] = [''];
  const open = createOpenElements();
  // True if the last tag opened an element that can have content.
  let isHeld = false;
  const begin = (name: string): void => {
    if (INLINE.has(name)) return;
    if (lines.at(-1) !== '') lines.push('');
  };
  readTags(html, {
    open(name) {
      if (name === 'body') open.close('head');
      isHeld = !VOID.has(name);
      if (isHeld) open.open(name);
      begin(name);
    },
    selfClosed() {
      if (isHeld) open.closeLast();
    },
    close(name) {
      open.close(name);
      begin(name);
    },
    text(text) {
      if (open.isSkipped()) return;
      lines[lines.length - 1] += text.replaceAll(/\s+/g, ' ');
    },
  });
  return lines.flatMap((line) => (line.trim() === '' ? [] : [line.trim()])).join('\n');
}

/** Elements around the current place. Each element is added and removed once, so the work does not depend on nesting. */
interface OpenElements {
  open(name: string): void;
  /** Closes the last element of this name, and those in it. Does nothing if there is none. */
  close(name: string): void;
  closeLast(): void;
  /** Returns true inside of an element whose text is left out. */
  isSkipped(): boolean;
}

function createOpenElements(): OpenElements {
  const names: string[] = [];
  const counts = new Map<string, number>();
  let skipped = 0;
  const closeLast = (): string | undefined => {
    const name = names.pop();
    if (name === undefined) return undefined;
    counts.set(name, (counts.get(name) ?? 1) - 1);
    if (LEFT_OUT.has(name)) skipped -= 1;
    return name;
  };
  return {
    open(name) {
      names.push(name);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (LEFT_OUT.has(name)) skipped += 1;
    },
    close(name) {
      if ((counts.get(name) ?? 0) === 0) return;
      while (closeLast() !== name);
    },
    closeLast: () => void closeLast(),
    isSkipped: () => skipped > 0,
  };
}
