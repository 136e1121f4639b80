// Coding session of nine prompts with about 40 steps each, on a model with a window of 200,000 tokens and with the
// settings of the command. A turn costs more in a fuller window, because each call reads the whole conversation. The
// benchmark divides the cost of the most expensive turn by the median cost of a turn. Turns with a compaction are
// marked in the table and are not part of the ratio.

import type { Benchmark, Measured, TableOfResult } from '../benchmark.ts';
import { rowOf } from '../model-row.ts';
import { codingSession } from '../nine-prompts/coding-prompts.ts';
import { playPrompts } from '../nine-prompts/play-prompts.ts';
import type { TurnCost } from '../nine-prompts/turn-costs.ts';
import { costOfCalls, dearestTurn, turnCosts } from '../nine-prompts/turn-costs.ts';

export const benchmark: Benchmark = {
  name: 'nine-prompts',
  against: 'the median turn; the most expensive turn; both without compactions',
  target: 1.3,
  run,
};

const MODEL = 'claude-sonnet-4-5';

async function run(): Promise<Measured> {
  const row = rowOf(MODEL);
  const played = await playPrompts(codingSession(), row, { compaction: { when: 'preflight' } });
  const turns = await turnCosts(played, row);
  const { ratio, dearest, median } = dearestTurn(turns);
  const compacted = turns.filter((turn) => turn.compacted);
  return {
    ratio: ratio ?? null,
    details: {
      dearest: dollars(dearest),
      median: dollars(median),
      'with a compaction': compacted.map((turn) => dollars(Number(turn.dollars))).join(', ') || 'none',
      'whole session': dollars(Number(costOfCalls(played.ledger, row).dollars)),
      'epochs by pruning': turns.flatMap(({ epochs }) => epochs.filter((cause) => cause.startsWith('pruning'))).length,
    },
    table: tableOf(turns),
  };
}

function tableOf(turns: readonly TurnCost[]): TableOfResult {
  return {
    head: [
      'turn',
      'steps',
      'calls',
      'epochs',
      'fresh',
      'read',
      'written',
      'answers',
      'fullest call',
      'cost',
      'with a compaction',
    ],
    rows: turns.map((turn, index) => [
      String(index + 1),
      String(turn.steps),
      String(turn.calls),
      turn.epochs.join(', ') || 'none',
      ...[turn.fresh, turn.read, turn.written, turn.answer, turn.fullest].map((tokens) => tokens.toLocaleString('en')),
      dollars(Number(turn.dollars)),
      turn.compacted ? 'yes' : 'no',
    ]),
  };
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}
