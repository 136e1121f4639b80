// Tests that a cache belongs to one account. Another account reads nothing from it. The forecast shows this before the
// request is sent.

import type { ForeseenRewrite } from '@tidemark/context';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt } from '../../tests/small-session.ts';
import { explainSession } from '../audit/explain.ts';
import { commit } from '../session/session.ts';
import type { Prepared } from './prepare.ts';

const LONG = 'word '.repeat(8_000);

async function answeredBy(account: string | undefined): Promise<{ readonly small: Small; readonly first: Prepared }> {
  const small = await begin();
  await commit(small.session, [prompt(LONG)]);
  const first = await prepare(small, 0, {}, { account });
  await answer(small, first);
  await commit(small.session, [prompt('and now?', 60)]);
  return { small, first };
}

async function next(
  small: Small,
  account: string | undefined,
  change = {},
): Promise<{ readonly prepared: Prepared; readonly rewrite: ForeseenRewrite | undefined }> {
  let rewrite: ForeseenRewrite | undefined;
  const admit = (foreseen: { readonly rewrite: ForeseenRewrite | undefined }): void =>
    void (rewrite = foreseen.rewrite);
  return { prepared: await prepare(small, 60, change, { account, admit }), rewrite };
}

test('a request to another account reads nothing, and its rewrite names the tokens paid again and the cause', async () => {
  const { small, first } = await answeredBy('one');
  const { prepared, rewrite } = await next(small, 'other');
  const held = first.outlook.forecast.write;
  expect(prepared.record.data).toMatchObject({ account: 'other', forecast: { read: 0 }, relation: 'extends' });
  expect(rewrite).toMatchObject({ cause: 'account', tokens: held });
  await answer(small, prepared, undefined, 60);
  const { explained } = await explainSession(small.log, ID, () => scriptedEncoder);
  expect(explained).toMatchObject([{ step: 1, miss: { cause: 'account', tokens: held } }]);
});

test('the rewrite has the cause `account`, not the cause of the epoch that opens with the same request', async () => {
  const { small } = await answeredBy('one');
  const { prepared, rewrite } = await next(small, 'other', { role: 'Be brief.' });
  expect(prepared.opened?.data).toMatchObject({ cause: 'role', forecast: { rewrite: 0 } });
  expect(rewrite?.cause).toBe('account');
});

test('the rewrite has the cause `model` if the model changes, even if the account changes too', async () => {
  const { small } = await answeredBy('one');
  const { prepared, rewrite } = await next(small, 'other', { model: 'claude-opus-5-5' });
  expect(prepared.opened?.data).toMatchObject({ cause: 'model', forecast: { rewrite: expect.any(Number) } });
  expect(prepared.opened?.data.forecast.rewrite).toBeGreaterThan(5_000);
  expect(rewrite?.cause).toBe('model');
});

test('the same account reads what it wrote, and an unknown account is treated as the same account', async () => {
  for (const [before, after] of [
    ['one', 'one'],
    ['one', undefined],
    [undefined, 'one'],
  ] as const) {
    const { small, first } = await answeredBy(before);
    const { prepared, rewrite } = await next(small, after);
    expect([rewrite, prepared.outlook.forecast.read]).toEqual([undefined, first.outlook.forecast.write]);
  }
});

test('entries of the first account are read again if that account is used again before they expire', async () => {
  const { small, first } = await answeredBy('one');
  const { prepared } = await next(small, 'other');
  await answer(small, prepared, undefined, 60);
  await commit(small.session, [prompt('back again', 90)]);
  const back = await prepare(small, 90, {}, { account: 'one' });
  expect(back.outlook.forecast.read).toBe(first.outlook.forecast.write);
});
