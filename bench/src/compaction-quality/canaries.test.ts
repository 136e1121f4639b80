import { expect, test } from 'vitest';

import type { Canary } from './canaries.ts';
import { CANARIES, isHeld } from './canaries.ts';
import { words } from './made-pieces.ts';

const PORT: Canary = {
  kind: 'updated value',
  round: 1,
  place: 'prompt',
  line: 'The port is 48113.',
  update: { round: 2, place: 'prompt', line: 'The port is 52907 now.' },
};
const heldIn = (canary: Canary, round: number, ...lines: readonly string[]): boolean =>
  isHeld(canary, round, [words(lines.join('\n'))]);

test('there are four canaries of each kind, and each value is of one canary alone', () => {
  const kinds = CANARIES.map(({ kind }) => kind);
  expect(Object.values(Object.groupBy(kinds, (kind) => kind)).map((all) => all?.length)).toEqual([4, 4, 4, 4, 4, 4]);
  const lines = CANARIES.flatMap(({ line, update }) => (update === undefined ? [line] : [line, update.line]));
  expect(lines.filter((line) => lines.some((other) => other !== line && other.includes(line)))).toEqual([]);
});

test('a statement counts word for word in its line, and not its value alone', () => {
  const canary: Canary = { kind: 'negation', round: 1, place: 'prompt', line: 'Do not retry postings with LX-2208.' };
  expect(heldIn(canary, 1, '  > Do not  retry postings with LX-2208. Ask first.')).toBe(true);
  expect(heldIn(canary, 1, 'retry postings with LX-2208.')).toBe(false);
  expect(heldIn(canary, 1, 'Do not retry', 'postings with LX-2208.')).toBe(false);
  expect(heldIn(canary, 1, 'LX-2208')).toBe(false);
});

test('a path counts with its symbol on one line', () => {
  const canary: Canary = { kind: 'path', round: 1, place: 'edit', line: 'function q7() {', names: ['src/q.ts', 'q7'] };
  expect(heldIn(canary, 1, '- src/q.ts: q7')).toBe(true);
  expect(heldIn(canary, 1, '- src/q.ts', '- q7')).toBe(false);
});

test('an updated value counts with its old statement before the update, and with the new one from then on', () => {
  expect(heldIn(PORT, 1, 'The port is 48113.')).toBe(true);
  expect(heldIn(PORT, 2, 'The port is 48113.')).toBe(false);
  expect(heldIn(PORT, 2, 'The port is 52907 now.')).toBe(true);
});

test('an old value that is said before the new one is not presented as in force', () => {
  expect(heldIn(PORT, 2, 'The port is 48113.', 'The port is 52907 now.')).toBe(true);
  expect(heldIn(PORT, 2, 'The port is 52907 now.', '- The port is 48113. (superseded)')).toBe(true);
});

test('an old value that stands last, or that a label calls valid, is presented as in force', () => {
  expect(heldIn(PORT, 2, 'The port is 52907 now.', 'The port is 48113.')).toBe(false);
  expect(heldIn(PORT, 2, '- The port is 48113. (settled)', '- The port is 52907 now. (settled)')).toBe(false);
});
