// Cost of cache lifetimes: bills the same session with automatically chosen TTLs and with each fixed TTL.

import type { Lasting } from '@tidemark/agent';
import type { AnswerPlan } from '@tidemark/simulator';
import { expect, test } from 'vitest';
import type { Billed } from './billed-stage.ts';
import { openStage } from './billed-stage.ts';

const MINUTE = 60_000;
const done: AnswerPlan = { answer: { text: 'Done.' } };

/** Prompt of a session: its number of tokens, and the minutes of pause before it. */
type Turn = readonly [tokens: number, minutes: number];

/**
 * Plays the turns. Returns the billed calls and their cost, in units of the base input price of a token. Multipliers of
 * Sonnet 4.6: read 0.1, five-minute write 1.25, one-hour write 2.
 */
async function bill(turns: readonly Turn[], ttl: Lasting): Promise<{ cost: number; calls: readonly Billed[] }> {
  const stage = await openStage({ cache: { ttl } });
  const live = await stage.open();
  for (const [tokens, minutes] of turns) {
    stage.clock.pass(minutes * MINUTE);
    await stage.turn(live, 'word'.repeat(tokens), done);
  }
  const calls = stage.billed();
  const cost = calls.reduce(
    (sum, { read, written, long, fresh }) => sum + 0.1 * read + 1.25 * (written - long) + 2 * long + fresh,
    0,
  );
  return { cost, calls };
}

async function billAll(turns: readonly Turn[]): Promise<Record<'auto' | '5m' | '1h', number>> {
  const [auto, short, long] = [await bill(turns, 'auto'), await bill(turns, '5m'), await bill(turns, '1h')];
  return { auto: auto.cost, '5m': short.cost, '1h': long.cost };
}

const close = (tokens: number, count: number): readonly Turn[] =>
  Array.from({ length: count }, (): Turn => [tokens, 0.5]);

test('one long early pause with 63,568 cached tokens costs at most 1.02 times the cheaper fixed TTL', async () => {
  const { auto, ...fixed } = await billAll([...close(10_000, 6), [1_000, 40], ...close(2_000, 30)]);
  expect(fixed['5m']).toBeLessThan(fixed['1h']);
  expect(auto / fixed['5m']).toBeLessThanOrEqual(1.02);
});

test('a session with repeated pauses gets the one-hour TTL after the second pause and reads its cache after the third', async () => {
  const turns: readonly Turn[] = [...close(10_000, 3), [500, 20], [500, 30], [500, 12], [500, 50]];
  const { calls } = await bill(turns, 'auto');
  const held = calls.map(({ read, written }) => read + written);
  const [, , , first, second, third, fourth] = calls;
  expect(first).toMatchObject({ read: 0, long: 0 });
  expect(second).toMatchObject({ read: 0, long: second?.written });
  expect([third?.read, fourth?.read]).toEqual([held[4], held[5]]);
});

test('a session without pauses costs the same as with a fixed TTL of five minutes', async () => {
  const { auto, '5m': short } = await billAll(close(4_000, 8));
  expect(auto).toBe(short);
});
