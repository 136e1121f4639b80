// Text of an HTML document without its markup. The parser reports one tag after the other and builds no tree, so the
// nesting of a hostile document has no effect.

import { Parser } from 'htmlparser2';

const LEFT_OUT: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);

const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Returns the maximum number of elements around an element of a document. */
export function nestingOf(html: string): number {
  let [depth, deepest] = [0, 0];
  const parser = new Parser({
    onopentagname() {
      depth += 1;
      deepest = Math.max(deepest, depth);
    },
    onclosetag() {
      depth -= 1;
    },
  });
  parser.end(html);
  return deepest;
}

/** Returns the text of a document. Each block begins on a new line. */
export function plainText(html: string): string {
  const lines: string[] = [''];
  let skipped = 0;
  const begin = (name: string): void => {
    if (INLINE.has(name)) return;
    if (lines.at(-1) !== '') lines.push('');
  };
  const parser = new Parser({
    onopentagname(name) {
      if (LEFT_OUT.has(name)) skipped += 1;
      begin(name);
    },
    onclosetag(name) {
      if (LEFT_OUT.has(name)) skipped -= 1;
      begin(name);
    },
    ontext(text) {
      if (skipped > 0) return;
      lines[lines.length - 1] += text.replaceAll(/\s+/g, ' ');
    },
  });
  parser.end(html);
  return lines.flatMap((line) => (line.trim() === '' ? [] : [line.trim()])).join('\n');
}
