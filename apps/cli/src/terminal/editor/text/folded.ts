// Folded parts of the text: long pastes and images. In the text of the editor, one character stands for each part. Unicode
// does not assign these characters, and each of them is a grapheme of its own.

import type { GivenImage } from '@tidemark/kit';

/** A long paste or an image, shown as its label. */
export type FoldedPart =
  | { readonly kind: 'paste'; readonly label: string; readonly text: string }
  | { readonly kind: 'image'; readonly label: string; readonly image: GivenImage };

/** Folded parts by their characters. */
export type FoldedParts = ReadonlyMap<string, FoldedPart>;

const FIRST = 0xe0200;
const COUNT = 0xe00;
const FOLDED = /[\u{e0200}-\u{e0fff}]/gu;

/** Returns the character of the part with a number. After the last character, the first is used again. */
export function foldCharacter(number: number): string {
  return String.fromCodePoint(FIRST + (number % COUNT));
}

/** Returns the text with each folded part replaced. */
export function replaceFolded(text: string, parts: FoldedParts, replace: (part: FoldedPart) => string): string {
  return text.replaceAll(FOLDED, (character) => {
    const part = parts.get(character);
    return part === undefined ? '' : replace(part);
  });
}

/** Returns the whole text: pastes are expanded, and an image is its label. */
export function expandFolded(text: string, parts: FoldedParts): string {
  return replaceFolded(text, parts, (part) => (part.kind === 'paste' ? part.text : part.label));
}

/** Returns the images of the text, in order. */
export function imagesIn(text: string, parts: FoldedParts): readonly GivenImage[] {
  return Array.from(text.matchAll(FOLDED), ([character]) => parts.get(character)).flatMap((part) =>
    part?.kind === 'image' ? [part.image] : [],
  );
}

/** Puts the image characters back in place of their labels, such as in a text that an external editor returned. */
export function foldLabels(text: string, parts: FoldedParts): string {
  let folded = text;
  for (const [character, part] of parts)
    if (part.kind === 'image') folded = folded.replace(part.label, () => character);
  return folded;
}
