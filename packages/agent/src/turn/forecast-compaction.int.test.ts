// Tests the forecast of a call before which the runtime compacts the history by itself.

import type { AnswerPlan } from '@tidemark/simulator';
import { expect, test } from 'vitest';
import { playWindow, small } from '../../tests/small-window.ts';
import { made } from '../../tests/small-work.ts';

test('the forecast of a call after an automatic compaction is within 10% of the count', async () => {
  let calls = 0;
  const look = made('look', () => ({
    text: Array.from({ length: 120 }, (_, n) => `row ${calls} ${n} of it`).join('\n'),
  }));
  const answer = (): AnswerPlan => {
    calls += 1;
    return { answer: calls % 2 === 0 ? { text: 'Done.' } : { calls: [{ name: 'look', arguments: {} }] } };
  };
  const believed = small('claude-sonnet-4-5', 20_000);
  const { live, simulator, kinds } = await playWindow({
    believed,
    answer,
    runtime: { tools: [look], role: 'Look at everything before you speak. '.repeat(150), compaction: 'preflight' },
  });
  let next = await live.forecast('Look at the next part.');
  for (let turn = 0; turn < 40 && next?.compacted === undefined; turn += 1) {
    expect(next?.compacts).toBeUndefined();
    await live.prompt('Look at the next part.');
    next = await live.forecast('Look at the next part.');
  }
  const { read = 0, written = 0, fresh = 0 } = next?.compacted?.tokens ?? {};
  const before = simulator.calls.length;
  await live.prompt('Look at the next part.');
  expect(await kinds()).toContain('history.compacted');
  const usage = simulator.calls[before]?.usage;
  const count =
    (usage?.input_tokens ?? 0) + (usage?.cache_read_input_tokens ?? 0) + (usage?.cache_creation_input_tokens ?? 0);
  expect(Math.abs((read + written + fresh) / count - 1)).toBeLessThan(0.1);
  expect(count).toBeLessThan(0.8 * (next?.gauge.input ?? 0));
});
