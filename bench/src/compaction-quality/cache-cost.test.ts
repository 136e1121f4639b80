import { createSimulator } from '@tidemark/simulator';
import { expect, test } from 'vitest';

import { rowOf } from '../model-row.ts';
import { cacheCost, CALLS, FRONT_TOKENS } from './cache-cost.ts';
import { MODEL } from './compact-cut.ts';

const WRITE = 1.25;
const READ = 0.1;

test("`cacheCost` equals the simulator's bill: the front is read, and the kept history is written once and then read", () => {
  const [before, kept, growth] = [80_000, 20_000, 1_000];
  const whole = simulatedCost([FRONT_TOKENS, before], [before], growth);
  const packed = simulatedCost([FRONT_TOKENS, before], [kept], growth);
  expect(cacheCost({ before, kept, growth })).toBeCloseTo(packed / whole, 2);
});

test('a compaction that keeps everything costs as much as no compaction, plus the write of the kept history', () => {
  const sizes = { before: 50_000, growth: 500 };
  expect(cacheCost({ ...sizes, kept: 10_000 })).toBeLessThan(cacheCost({ ...sizes, kept: 30_000 }));
  expect(cacheCost({ ...sizes, kept: 50_000 })).toBeGreaterThan(1);
});

/** Returns the input cost of the calls after a first call that wrote the front and the history to the cache. */
function simulatedCost([front = 0, held = 0]: readonly number[], kept: readonly number[], growth: number): number {
  const row = rowOf(MODEL);
  const simulator = createSimulator({ clock: () => 0, capabilities: () => row });
  const send = (history: readonly number[]): void => {
    const outcome = simulator.messages({ body: bodyOf(front, history), betas: [] });
    if (outcome.outcome === 'refused') throw new Error(outcome.message);
  };
  send([held]);
  for (let call = 1; call <= CALLS; call += 1) send([...kept, ...Array.from({ length: call }, () => growth)]);
  return simulator.calls.slice(1).reduce((sum, { usage }) => {
    if (usage === undefined) throw new Error('a call was not billed');
    const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
    return sum + fresh + READ * read + WRITE * written;
  }, 0);
}

/** Returns a body whose texts have these numbers of tokens. The simulator counts four bytes as one token. */
function bodyOf(front: number, history: readonly number[]): Uint8Array {
  const marker = { cache_control: { type: 'ephemeral' } };
  const text = (tokens: number, name: number): object => ({ type: 'text', text: `${name} `.padEnd(4 * tokens, 'x') });
  const blocks = history.map((tokens, index) => text(tokens, (history[0] ?? 0) + index));
  const content = blocks.map((block, index) => (index >= blocks.length - 2 ? { ...block, ...marker } : block));
  const body = {
    model: MODEL,
    max_tokens: 100,
    system: [{ ...text(front, 0), ...marker }],
    messages: [{ role: 'user', content }],
  };
  return Buffer.from(JSON.stringify(body));
}
