import { expect, test } from 'vitest';

import { cleanText } from './clean-text.ts';
import type { FoldedPart } from './folded.ts';
import { expandFolded, foldCharacter, foldLabels, attachedIn } from './folded.ts';
import { graphemesOf } from './graphemes.ts';

const image = { type: 'image', data: new Uint8Array([1]), name: 'form.png' } as const;
const [paste, picture] = [foldCharacter(0), foldCharacter(1)];
const parts = new Map<string, FoldedPart>([
  [paste, { kind: 'paste', label: '[paste 1: 2 lines]', text: 'one\ntwo' }],
  [picture, { kind: 'attached', label: '[image 1: form.png 8×6]', attached: image }],
]);

test('`expandFolded` returns the pasted text, and the label of an image', () => {
  expect(expandFolded(`see ${paste} and ${picture}.`, parts)).toBe('see one\ntwo and [image 1: form.png 8×6].');
  expect(attachedIn(`${picture}${paste}`, parts)).toEqual([image]);
});

test('`foldLabels` puts an image back in place of its label', () =>
  expect(foldLabels('look at [image 1: form.png 8×6] now', parts)).toBe(`look at ${picture} now`));

test('a folded part is a grapheme of its own, also with a combining mark after it', () =>
  expect(graphemesOf(`a${paste}\u0301b`)[1]).toBe(paste));

test('`cleanText` removes escapes, control characters and the characters of folded parts', () =>
  expect(cleanText(`a\u001b[31mb\u001b[0m\r\nc\u0007\td${paste}\ud800`)).toBe('ab\nc\td\ufffd'));
