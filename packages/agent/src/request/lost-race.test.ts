// Tests for two calls in flight with the same prefix, which is not cached yet. The second call cannot read what the
// first call is still writing.

import type { Miss } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { recordFailed } from './answer.ts';
import type { Prepared } from './prepare.ts';

const LONG = 'word '.repeat(8_000);
const TITLE = { stream: 'side/1', extra: [{ type: 'text', text: 'Name it.' }], history: 'main' } as const;

interface Raced {
  readonly small: Small;
  readonly turn: Prepared;
  readonly side: Prepared;
}

/** Prepares a request of the main stream, and a side call that continues from it. Both count as sent. */
async function race(): Promise<Raced> {
  const small = await begin();
  await commit(small.session, [prompt(LONG)]);
  const turn = await prepare(small, 0);
  const side = await prepare(small, 1, {}, { beside: TITLE, purpose: 'title' });
  return { small, turn, side };
}

async function missOf({ session, log }: Small): Promise<Miss | undefined> {
  expect(session.state.session).toBe(ID);
  const records = await Array.fromAsync(log.read(ID));
  const last = records.findLast((one) => one.kind === 'answer.received' && one.data.stream === 'side/1');
  return last?.kind === 'answer.received' ? last.data.miss : undefined;
}

test('a call reports the cause `racing` if it read nothing of the prefix that another call was writing', async () => {
  const { small, turn, side } = await race();
  const { write } = turn.outlook.forecast;
  await answer(small, turn);
  await answer(small, side, { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: write + 8 }], answer: 2 }, 1);
  const miss = await missOf(small);
  expect(miss?.cause).toBe('racing');
  expect(Math.abs((miss?.tokens ?? 0) - write)).toBeLessThan(0.05 * write);
  expect(Number(miss?.cost)).toBeGreaterThan(0);
});

test('a call that waited, and so read what the other call wrote, reports no miss', async () => {
  const { small, turn, side } = await race();
  const { write } = turn.outlook.forecast;
  await answer(small, turn);
  await answer(small, side, { fresh: 0, read: write - 40, writes: [{ ttl: '5m', tokens: 48 }], answer: 2 }, 1);
  expect(await missOf(small)).toBeUndefined();
});

test('a call in parallel to a failed call reports no lost race, because the failed call wrote nothing', async () => {
  const { small, turn, side } = await race();
  await recordFailed(
    small.session,
    turn,
    { class: 'refused', code: 'provider/invalid', message: 'no' },
    false,
    side.record.at,
  );
  const { write } = turn.outlook.forecast;
  await answer(small, side, { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: write + 8 }], answer: 2 }, 1);
  expect(await missOf(small)).toBeUndefined();
});
