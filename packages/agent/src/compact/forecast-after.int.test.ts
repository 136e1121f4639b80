// Tests the forecast of the call after a compaction, for texts of different kinds. The scales that were learnt from
// the calls before it apply to the texts that the checkpoint quotes.

import type { AnswerPlan } from '@tidemark/simulator';
import { expect, test } from 'vitest';
import { playWindow, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';

const PROSE = 'The part was read in the evening, and it contains what was expected, so the next one follows. ';

/** Returns different lines of a kind, about 10,000 characters for each step. */
function lines(step: number, lineOf: (number: number) => string): string {
  return Array.from({ length: 100 }, (_, index) => lineOf(100 * step + index)).join('\n');
}

const KINDS: readonly (readonly [kind: string, lineOf: (number: number) => string])[] = [
  ['prose', (n) => `Visitor ${n} came in the evening. ${PROSE}`],
  ['code', (n) => `  if (index > ${n} && parts[${n}] !== undefined) return { part: parts[${n}]?.name ?? '', size };`],
  [
    'lists of symbols',
    (n) => `packages/work/src/part-${n % 40}.ts:${n}:export const readPartOf${n}: Part = makePart();`,
  ],
];

test.each(KINDS)('the forecast after a compaction of %s is within 10% of the count', async (_, lineOf) => {
  let calls = 0;
  const look = made('look', (_context, input) => ({ text: lines(Number(Object(input).step), lineOf) }));
  const answer = (): AnswerPlan => {
    calls += 1;
    if (calls % 3 === 0) return { answer: { text: PROSE.repeat(3) } };
    return { answer: { calls: [{ name: 'look', arguments: { step: calls } }] } };
  };
  const believed = small('claude-sonnet-4-5', 200_000);
  const { live, simulator } = await playWindow({
    believed,
    answer,
    runtime: { tools: [look], role: PROSE.repeat(80) },
  });
  for (const part of ['first', 'second', 'third', 'last']) await live.prompt(`Look at the ${part} part of it.`);
  expect(await live.compact({ tailTokens: 2_000 })).toMatchObject({ outcome: 'compacted' });
  const { tokens: { fresh = 0, read = 0, written = 0 } = {} } = (await live.forecast('Go on.')) ?? {};
  const before = simulator.calls.length;
  await live.prompt('Go on.');
  const usage = simulator.calls[before]?.usage;
  const count =
    (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
  expect(count).toBeGreaterThan(5_000);
  expect(Math.abs((fresh + read + written) / count - 1)).toBeLessThan(0.1);
});
