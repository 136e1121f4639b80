// Folded parts of the text: long pastes, images and attached texts. In the text of the editor, one character stands for each part. Unicode
// does not assign these characters, and each of them is a grapheme of its own.

import type { GivenAttachment, GivenImage } from '@tidemark/kit';

import type { Draft } from '../../state/draft.ts';

/** A long paste, or an image or a text that is sent with the prompt. The editor shows its label. */
export type FoldedPart =
  | { readonly kind: 'paste'; readonly label: string; readonly text: string }
  | { readonly kind: 'attached'; readonly label: string; readonly attached: GivenImage | GivenAttachment };

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

/** Returns the whole text: pastes are expanded, and every other part is its label. */
export function expandFolded(text: string, parts: FoldedParts): string {
  return replaceFolded(text, parts, (part) => (part.kind === 'paste' ? part.text : part.label));
}

/** Returns the images and attached texts, in the order of the text. */
export function attachedIn(text: string, parts: FoldedParts): readonly (GivenImage | GivenAttachment)[] {
  return Array.from(text.matchAll(FOLDED), ([character]) => parts.get(character)).flatMap((part) =>
    part?.kind === 'attached' ? [part.attached] : [],
  );
}

/** Replaces the labels of images and attached texts by their characters, such as in the text of an external editor. */
export function foldLabels(text: string, parts: FoldedParts): string {
  let folded = text;
  for (const [character, part] of parts)
    if (part.kind === 'attached') folded = folded.replace(part.label, () => character);
  return folded;
}

/** Matches the label of an image, with its size if it has one, or of an attached text. */
const LABELS = {
  image: /\[image \d+: (?:((?:(?!\[image )[^\n])+?) \d+×\d+|([^\n\]]+))\]/,
  attachment: /\[attached: ([^\n\]]+)\]/,
};

/**
 * Puts images and attached texts back in place of their labels. The attached parts have the order of their labels in the
 * text. `fold` returns the character of a part, and gets the name in its label. A part without a label is put after the
 * text, and a label without a part remains text.
 */
export function foldAttached(
  text: string,
  attached: Draft['attached'],
  fold: (one: Draft['attached'][number], name: string | undefined) => string,
): string {
  let folded = text;
  const without: string[] = [];
  for (const one of attached) {
    const [label, sized, plain] = LABELS[one.type].exec(folded) ?? [];
    const character = fold(one, sized ?? plain);
    if (label === undefined) without.push(character);
    else folded = folded.replace(label, () => character);
  }
  return [folded, ...without].filter((piece) => piece !== '').join(' ');
}

/** Folds the pasted texts again that were folded before. */
export function foldPastes(text: string, parts: FoldedParts): string {
  let folded = text;
  for (const [character, part] of parts)
    if (part.kind === 'paste' && !folded.includes(character)) folded = folded.replace(part.text, () => character);
  return folded;
}
