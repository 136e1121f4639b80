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

test('there are four canaries of each kind, and no statement is part of another', () => {
  const kinds = CANARIES.map(({ kind }) => kind);
  expect(Object.values(Object.groupBy(kinds, (kind) => kind)).map((all) => all?.length)).toEqual([4, 4, 4, 4, 4, 4]);
  const lines = CANARIES.flatMap(({ line, update }) => (update === undefined ? [line] : [line, update.line]));
  expect(lines.filter((line) => lines.some((other) => other !== line && other.includes(line)))).toEqual([]);
});

test('a canary counts as held only if its statement is word for word on one line; its value alone does not count', () => {
  const canary: Canary = { kind: 'negation', round: 1, place: 'prompt', line: 'Do not retry postings with LX-2208.' };
  expect(heldIn(canary, 1, '  > Do not  retry postings with LX-2208. Ask first.')).toBe(true);
  expect(heldIn(canary, 1, 'retry postings with LX-2208.')).toBe(false);
  expect(heldIn(canary, 1, 'Do not retry', 'postings with LX-2208.')).toBe(false);
  expect(heldIn(canary, 1, 'LX-2208')).toBe(false);
});

test('a canary with a path counts as held if the path is on one line with its symbol', () => {
  const canary: Canary = { kind: 'path', round: 1, place: 'edit', line: 'function q7() {', names: ['src/q.ts', 'q7'] };
  expect(heldIn(canary, 1, '- src/q.ts: q7')).toBe(true);
  expect(heldIn(canary, 1, '- src/q.ts', '- q7')).toBe(false);
});

test('an updated value counts by its old statement before the update, and by its new statement afterwards', () => {
  expect(heldIn(PORT, 1, 'The port is 48113.')).toBe(true);
  expect(heldIn(PORT, 2, 'The port is 48113.')).toBe(false);
  expect(heldIn(PORT, 2, 'The port is 52907 now.')).toBe(true);
});

test('an old value before the new one, or with a label such as `superseded`, is not presented as valid', () => {
  expect(heldIn(PORT, 2, 'The port is 48113.', 'The port is 52907 now.')).toBe(true);
  expect(heldIn(PORT, 2, 'The port is 52907 now.', '- The port is 48113. (superseded)')).toBe(true);
});

test('an old value after the new one, or with a label such as `settled`, is presented as valid', () => {
  expect(heldIn(PORT, 2, 'The port is 52907 now.', 'The port is 48113.')).toBe(false);
  expect(heldIn(PORT, 2, '- The port is 48113. (settled)', '- The port is 52907 now. (settled)')).toBe(false);
});
