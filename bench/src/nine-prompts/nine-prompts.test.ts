import { expect, test } from 'vitest';

import { sum } from '../figures.ts';
import { rowOf } from '../model-row.ts';
import { codingSession } from './coding-prompts.ts';
import { playPrompts } from './play-prompts.ts';
import type { TurnCost } from './turn-costs.ts';
import { costOfCalls, dearestTurn, turnCosts } from './turn-costs.ts';

const row = rowOf('claude-sonnet-4-5');

test('the script has nine prompts of about 40 steps each, and its source files have 500 to 6,000 tokens', () => {
  const { prompts, files } = codingSession();
  const steps = prompts.map((prompt) => prompt.steps.length);
  expect(steps).toHaveLength(9);
  expect(steps.every((count) => count >= 38 && count <= 46)).toBe(true);
  const sources = [...files].filter(([path]) => path.startsWith('src/')).map(([, text]) => text.length);
  expect(Math.min(...sources)).toBeGreaterThan(1_900);
  expect(Math.max(...sources)).toBeLessThan(26_000);
});

test("two prompts play to their end, and the costs of their turns add up to the simulator's bill", async () => {
  const session = codingSession(2);
  const played = await playPrompts(session, row);
  const turns = await turnCosts(played, row);
  expect(turns.map(({ steps }) => steps)).toEqual(session.prompts.map(({ steps }) => steps.length + 1));
  const usages = played.ledger.map(({ usage }) => usage);
  const billed = {
    fresh: sum(usages.map((usage) => usage?.input_tokens ?? NaN)),
    read: sum(usages.map((usage) => usage?.cache_read_input_tokens ?? NaN)),
    written: sum(usages.map((usage) => usage?.cache_creation_input_tokens ?? NaN)),
    answer: sum(usages.map((usage) => usage?.output_tokens ?? NaN)),
  };
  const totals = {
    fresh: sum(turns.map(({ fresh }) => fresh)),
    read: sum(turns.map(({ read }) => read)),
    written: sum(turns.map(({ written }) => written)),
    answer: sum(turns.map(({ answer }) => answer)),
  };
  expect(totals).toEqual(billed);
  expect(sum(turns.map(({ calls }) => calls))).toBe(played.ledger.length);
  // Prices per million tokens: $3 for input, $0.30 for reads, $3.75 for five-minute writes, $15 for answers.
  const { fresh, read, written, answer } = billed;
  const dollars = (fresh * 3 + read * 0.3 + written * 3.75 + answer * 15) / 1e6;
  expect(Number(costOfCalls(played.ledger, row).dollars)).toBeCloseTo(dollars, 9);
  expect(sum(turns.map((turn) => Number(turn.dollars)))).toBeCloseTo(dollars, 9);
});

test('`dearestTurn` compares the most expensive turn with the median of the turns without a compaction', () => {
  const turn = (dollars: string, compacted = false): TurnCost => ({
    fresh: 0,
    read: 0,
    written: 0,
    answer: 0,
    dollars,
    steps: 1,
    calls: 1,
    epochs: [],
    compacted,
    fullest: 0,
  });
  expect(dearestTurn([turn('1'), turn('9', true), turn('3'), turn('2')])).toEqual({
    ratio: 1.5,
    dearest: 3,
    median: 2,
  });
  expect(dearestTurn([turn('9', true)]).ratio).toBeUndefined();
});

test(
  'in nine prompts no turn without a compaction costs more than 1.3 times the median turn',
  { timeout: 60_000 },
  async () => {
    const played = await playPrompts(codingSession(), row, { compaction: { when: 'preflight' } });
    const turns = await turnCosts(played, row);
    expect(turns.filter(({ compacted }) => compacted).length).toBeGreaterThan(1);
    expect(dearestTurn(turns).ratio).toBeLessThanOrEqual(1.3);
    expect(turns.flatMap(({ epochs }) => epochs)).toEqual(['initial', 'compaction', 'compaction', 'compaction']);
  },
);
