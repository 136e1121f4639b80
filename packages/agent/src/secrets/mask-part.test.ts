// Tests that a part of a text is masked like the whole text, wherever the part begins and ends.

import { expect, test } from 'vitest';
import { createSecrets } from './create-secrets.ts';

const SECRET = 'correct-horse-battery';
const secrets = createSecrets({ values: [{ name: 'TOKEN', value: SECRET }] });
const TEXT = `one ${SECRET} two\nthree ${SECRET}\nfour\n`;

test('no part of the text contains a part of a secret', async () => {
  for (let from = 0; from <= TEXT.length; from += 1)
    for (let to = from; to <= TEXT.length; to += 1) {
      const { text, end } = await secrets.maskPart(TEXT, { from, to });
      expect(text.replaceAll('[secret:TOKEN]', '')).not.toMatch(/corr|ect-|horse|batt/);
      expect(end).toBeGreaterThanOrEqual(from);
    }
});

test('the parts of a text at its line ends are the masked text', async () => {
  const ends = [0, TEXT.indexOf('\n') + 1, TEXT.length];
  const parts = await Promise.all(ends.slice(1).map((to, at) => secrets.maskPart(TEXT, { from: ends[at] ?? 0, to })));
  expect(parts.map(({ text }) => text).join('')).toBe(await secrets.mask(TEXT));
});

const BEGIN = '-----BEGIN PRIVATE KEY-----\n';

test('an open text ends before a private key that is not complete', async () => {
  const open = `before\n${BEGIN}MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n`;
  expect(await secrets.maskPart(open, { from: 0, isOpen: true })).toEqual({ text: 'before\n', end: 7 });
  expect((await secrets.maskPart(`${open}x`, { from: 7, isOpen: true })).text).toBe('');
});

test('an open text ends before the first lines of a secret with several lines', async () => {
  const lines = createSecrets({ values: [{ name: 'KEY', value: 'first line of it\nsecond line of it' }] });
  const open = 'before\nfirst line of it\n';
  expect(await lines.maskPart(open, { from: 0, isOpen: true })).toEqual({ text: 'before\n', end: 7 });
  expect((await lines.maskPart(`${open}second line of it\n`, { from: 7, isOpen: true })).text).toBe('[secret:KEY]\n');
});

test('an open text ends before the beginning of a known value, wherever the value is cut', async () => {
  for (let length = 4; length < SECRET.length; length += 1) {
    const open = `key: ${SECRET.slice(0, length)}`;
    expect(await secrets.maskPart(open, { from: 0, isOpen: true })).toEqual({ text: 'key: ', end: 5 });
  }
  expect((await secrets.maskPart(`key: ${SECRET}\n`, { from: 5, isOpen: true })).text).toBe('[secret:TOKEN]\n');
});
