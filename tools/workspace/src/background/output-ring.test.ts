// Tests the bounded output of a background process: its kept parts, its gap, and secrets next to the gap.

import { createSecrets } from '@tidemark/agent';
import { expect, test } from 'vitest';
import type { OutputRing } from './output-ring.ts';
import { createOutputRing } from './output-ring.ts';
import { showOutput } from './show-output.ts';

const SECRET = 'correct-horse-battery-staple';
const secrets = createSecrets({ values: [{ name: 'TOKEN', value: SECRET }] });

function ringOf(...chunks: readonly string[]): OutputRing {
  const ring = createOutputRing();
  for (const chunk of chunks) ring.push(Buffer.from(chunk));
  return ring;
}

const show = (ring: OutputRing, from = 0, isOpen = false) => showOutput(ring, from, { secrets, isOpen });

test('a short output is returned whole, from any offset', async () => {
  const ring = ringOf('one\n', 'two\nthr', 'ee\n');
  expect(await show(ring)).toEqual({ text: 'one\ntwo\nthree\n', next: 14, dropped: 0 });
  expect(await show(ring, 4)).toEqual({ text: 'two\nthree\n', next: 14, dropped: 0 });
  expect(await show(ring, 14)).toEqual({ text: '', next: 14, dropped: 0 });
  expect(await show(ring, 1_000)).toEqual({ text: '', next: 14, dropped: 0 });
});

test('every byte of an output up to the kept size is returned, however it was written', async () => {
  const text = Array.from({ length: 30_000 }, (_, index) => `line ${index}\n`)
    .join('')
    .slice(0, 340_000);
  for (const size of [1_000, 7_777, 200_000, 400_000]) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, at * size + size),
    );
    expect((await show(ringOf(...chunks))).text).toBe(text);
  }
});

test('the kept and the dropped bytes of a long output are all of its bytes, from each offset', async () => {
  const ring = ringOf(...Array.from({ length: 50_000 }, (_, index) => `line ${String(index).padStart(10, '0')}\n`));
  for (const from of [0, 16, 60_000, 70_000, 100_000, 500_000, 780_000, 799_984]) {
    const { text, dropped, next } = await show(ring, from);
    const kept = text.replace(/\[\d+ bytes of the output were not kept\]\n/, '');
    expect([next, from + kept.length + dropped]).toEqual([800_000, 800_000]);
  }
});

test('a part of a secret next to the gap is not shown', async () => {
  const line = `${SECRET}\n`;
  const ring = ringOf(...Array.from({ length: 40_000 }, () => line));
  const { text, dropped } = await show(ring);
  expect(dropped).toBeGreaterThan(0);
  const rest = text.replaceAll('[secret:TOKEN]', '').replace(/\[\d+ bytes of the output were not kept\]/, '');
  expect(rest.trim()).toBe('');
});

test('a character of several bytes is not cut by the gap', async () => {
  const { text } = await show(ringOf(...Array.from({ length: 40_000 }, (_, index) => `é€😀${index % 7}`)));
  expect(text).not.toContain('\ufffd');
});

test('an incomplete line is returned again, and a very long one only once', async () => {
  const ring = ringOf('one\ntw');
  expect(await show(ring, 0, true)).toEqual({ text: 'one\ntw', next: 4, dropped: 0 });
  ring.push(Buffer.from('o\n'));
  expect(await show(ring, 4, true)).toEqual({ text: 'two\n', next: 8, dropped: 0 });
  ring.push(Buffer.from('x'.repeat(10_000)));
  expect((await show(ring, 8, true)).next).toBe(10_008);
});

test('a secret that a read finds half written is masked by the next read', async () => {
  const ring = ringOf(`key ${SECRET.slice(0, 9)}`);
  const { next } = await show(ring, 0, true);
  ring.push(Buffer.from(`${SECRET.slice(9)}\n`));
  expect((await show(ring, next, true)).text).toBe('key [secret:TOKEN]\n');
});
