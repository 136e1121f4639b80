import { expect, test } from 'vitest';

import { laterNeeded } from './facts.ts';
import { identifiersIn } from './identifiers.ts';
import { input, result, words } from './made-pieces.ts';
import { tokensOf } from './pieces.ts';
import { sharesOf } from './recall.ts';
import type { Strategy } from './strategies.ts';
import { BASELINES, lastMessages, lastPart, lastPartAndWords, wordsAndInputs } from './strategies.ts';

const LINES = Array.from({ length: 60 }, (_, index) => `const amountOf${index} = sumRate(${index});`).join('\n');
const HISTORY = Array.from({ length: 8 }, (_, index) => [
  words(`Step ${index} looks at makeStep${index}.`),
  input('read', { path: `src/part${index}.ts` }),
  result('read', LINES, `src/part${index}.ts`),
]).flat();

test('each strategy keeps at most its budget', () => {
  const whole = tokensOf(HISTORY);
  for (const keep of Object.values(BASELINES))
    for (const share of [0.05, 0.25, 0.6])
      expect(tokensOf(keep(HISTORY, share * whole))).toBeLessThanOrEqual(share * whole);
});

test('`lastPart` cuts between two lines, and `lastMessages` keeps whole messages', () => {
  const budget = Math.floor(1.5 * tokensOf(HISTORY.slice(-1)));
  const [first] = lastPart(HISTORY, budget);
  expect(LINES.endsWith(first?.text ?? 'none')).toBe(true);
  expect(lastMessages(HISTORY, budget).every((piece) => HISTORY.includes(piece))).toBe(true);
  expect(lastMessages(HISTORY, budget).length).toBeGreaterThan(0);
});

test('`wordsAndInputs` keeps no result, and `lastPartAndWords` ends with the last part', () => {
  const half = 0.5 * tokensOf(HISTORY);
  expect(wordsAndInputs(HISTORY, half).map(({ from }) => from)).not.toContain('result');
  const mixture = lastPartAndWords(HISTORY, half);
  expect(mixture.at(-1)).toBe(HISTORY.at(-1));
  expect(mixture[0]).toBe(HISTORY[0]);
});

/** Keeps each identifier of the history once, without any text about it. */
const bareIdentifiers: Strategy = (history) => {
  const names = history.flatMap(({ text }) => text.split('\n').flatMap((line) => identifiersIn(line)));
  return [words([...new Set(names.map(({ text }) => text))].join('\n'))];
};

test('a strategy that lists bare identifiers scores zero', () => {
  const after = [input('edit', { path: 'src/part1.ts', newText: 'x = sumRate(amountOf3) + makeStep2();' })];
  const needed = laterNeeded(HISTORY, after);
  const { said, results } = sharesOf(needed, bareIdentifiers(HISTORY, Infinity));
  expect([said, results]).toEqual([
    { kept: 0, of: 2 },
    { kept: 0, of: 2 },
  ]);
  expect(sharesOf(needed, HISTORY)).toMatchObject({ said: { kept: 2 }, results: { kept: 2 } });
});
