import { expect, test } from 'vitest';
import { addPause, NO_PAUSES } from './call-times.ts';

const MINUTE = 60_000;

test('`addPause` fades broken tokens with each later piece of evidence, in the same way as pauses', () => {
  const first = addPause(NO_PAUSES, { ms: 6 * MINUTE, held: 3_000, broken: 1_000 });
  expect(first).toMatchObject({ bins: [0, 2_000, 0, 0, 0, 0, 0, 0, 0], broken: 1_000 });
  const second = addPause(first, { ms: 6 * MINUTE, held: 500, broken: 0 });
  expect(second.broken).toBe(900);
  expect(second.bins[1]).toBe(2_300);
  let old = second;
  for (let piece = 0; piece < 100; piece += 1) old = addPause(old, { ms: 6 * MINUTE, held: 500, broken: 0 });
  expect(old.broken).toBeLessThan(1);
});

test('`addPause` ignores a request that read everything after less than five minutes, so older evidence stays unchanged', () => {
  const first = addPause(NO_PAUSES, { ms: 6 * MINUTE, held: 3_000, broken: 1_000 });
  expect(addPause(first, { ms: MINUTE, held: 3_000, broken: 0 })).toBe(first);
});
