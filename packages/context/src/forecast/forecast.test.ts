// Tests of the lookback: the number of positions before a marker in which an entry is found. A run of calls or results
// may count as one position.

import type { Block, BlockRun } from '@tidemark/model';
import { expect, test } from 'vitest';
import { named, newHash, row, second } from '../../tests/log-of.ts';
import { forecast } from './forecast.ts';
import { guessRatio } from '../state/scales.ts';
import { beginSequence, extendSequence } from '../cache/sequence.ts';

const OPUS = row('claude-opus-5-5');
const PARAMETERS = { tools: named('p'), system: named('p'), messages: named('p') };

function block(text: string, run: BlockRun): Block {
  return {
    section: 'messages',
    role: 'user',
    group: 0,
    head: text,
    tail: '',
    markable: true,
    run,
    holds: 'text',
    opensTurn: false,
    origin: { from: 'event', session: 's', position: 0 },
    tokens: 1_000,
    mediaBytes: 0,
  };
}

/** Returns the tokens that a marker on the last block reads from an entry at the end of the first block. */
function readOver(runs: readonly BlockRun[], runsCollapse: boolean): number {
  const blocks = (['none', ...runs] as const).map((run, index) => block(`${index}`, run));
  const sequence = extendSequence(beginSequence(PARAMETERS, [], newHash), blocks);
  const capabilities = { ...OPUS, runsCollapse };
  const entry = {
    parameters: PARAMETERS,
    block: 0,
    section: 'messages',
    of: 1,
    images: false,
    beside: false,
    prefix: sequence.prefixes.buffer[0] ?? '',
    ttl: '5m',
    at: second(0),
  } as const;
  const input = {
    lookup: { sequence, capabilities, now: Date.parse(second(1)) },
    at: second(1),
    markers: [{ block: blocks.length - 1, ttl: '5m' }],
    readable: [entry],
    accepted: undefined,
    model: 'm',
    ratio: guessRatio(),
    unsent: 0,
    sizes: 'recorded',
  } as const;
  return forecast(input).forecast.read;
}

const times = (count: number, run: BlockRun): readonly BlockRun[] => Array.from({ length: count }, () => run);

test("an entry is read within twenty positions of a marker, with the marker's own position counted", () => {
  expect([readOver(times(19, 'none'), true), readOver(times(20, 'none'), true)]).toEqual([1_000, 0]);
});

test('a run of calls or results is one position if the catalog row has `runsCollapse`, and one position per block otherwise', () => {
  const batch = [...times(15, 'calls'), ...times(15, 'results')];
  expect([readOver(batch, true), readOver(batch, false)]).toEqual([1_000, 0]);
  // One batch takes two positions, so nine batches and half of another are within a lookback of twenty positions.
  const batches = Array.from({ length: 9 }, () => batch).flat();
  expect(readOver([...batches, 'calls'], true)).toBe(1_000);
  expect(readOver([...batches, ...batch], true)).toBe(0);
});
