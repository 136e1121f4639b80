import { describe, expect, test } from 'vitest';

import { cleanText } from './clean-text.ts';
import type { FoldedPart } from './folded.ts';
import { attachedIn, expandFolded, foldAttached, foldCharacter, foldLabels, foldPastes } from './folded.ts';
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

describe('`foldAttached`', () => {
  const [one, two] = [1, 2].map((byte) => ({ type: 'image' as const, data: Uint8Array.of(byte) }));
  const put = (text: string, attached: Parameters<typeof foldAttached>[1]): string =>
    foldAttached(text, attached, ({ data }, name) => `<${data[0]} ${name ?? ''}>`);

  test('puts each image in place of its label, in the order of the text, with the name in the label', () => {
    if (one === undefined || two === undefined) throw new Error('there are two images');
    const text = 'is [image 3: a [1].png 8×6] as [image 1: $& b.png 9×9]?';
    expect(put(text, [one, two])).toBe('is <1 a [1].png> as <2 $& b.png>?');
    expect(put('[image 1: image]', [one, two])).toBe('<1 image> <2 >');
  });

  test('leaves a label without an image as text', () =>
    expect(put('see [image 1: a.png 8×6]', [])).toBe('see [image 1: a.png 8×6]'));
});

test('`foldPastes` folds a pasted text of this editor again', () =>
  expect(
    foldPastes(
      'read line 1\nline 2 now',
      new Map([['P', { kind: 'paste', label: '[paste]', text: 'line 1\nline 2' }]]),
    ),
  ).toBe('read P now'));
