// Tests for edits of the front. An edit rewrites everything after the first difference, but only the words that the
// edit adds are new.

import { expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { READ, answer, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { recordFailed } from './answer.ts';
import type { Prepared } from './prepare.ts';

const ROLE = Array.from({ length: 1_000 }, (_, rule) => `Rule ${rule}: an order that was packed is not changed.`).join(
  '\n',
);
const EDITED = ROLE.replace('Rule 3:', 'Rula 3:');

/**
 * Creates a session with one answered request. This request has the role `ROLE`. `held` is the number of tokens that
 * the request was expected to write to the cache.
 */
async function answered(): Promise<{ readonly small: Small; readonly held: number }> {
  const small = await begin();
  await commit(small.session, [prompt('go')]);
  const first = await prepare(small, 0, { role: ROLE });
  await answer(small, first);
  await commit(small.session, [prompt('and now?', 60)]);
  return { small, held: first.outlook.forecast.write };
}

async function unsentOfPlain(): Promise<number> {
  const { small } = await answered();
  return saidOf(await prepare(small, 60, { role: ROLE })).unsent;
}

function saidOf({ record, opened }: Prepared): { readonly unsent: number; readonly rewrite: number | undefined } {
  return { unsent: record.data.forecast.unsent, rewrite: opened?.data.forecast.rewrite };
}

test('after an edit of one letter in a long role only that edit is new, but the whole request is written again', async () => {
  const { small, held } = await answered();
  const { unsent, rewrite } = saidOf(await prepare(small, 60, { role: EDITED }));
  expect(unsent).toBeLessThan((await unsentOfPlain()) + 5);
  expect(held).toBeGreaterThan(10_000);
  expect(Math.abs((rewrite ?? 0) - held)).toBeLessThan(10);
});

test('after an edit of one letter in a tool description only that edit is new, but the whole request is written again', async () => {
  const { small, held } = await answered();
  const tools = [{ ...READ, description: 'Reads a folder.' }];
  const { unsent, rewrite } = saidOf(await prepare(small, 60, { role: ROLE, tools }));
  expect(unsent).toBeLessThan((await unsentOfPlain()) + 5);
  expect(Math.abs((rewrite ?? 0) - held)).toBeLessThan(10);
});

test('a failed try adds nothing to the cache, so the next try has the same forecast', async () => {
  const { small } = await answered();
  const first = await prepare(small, 60, { role: EDITED });
  await recordFailed(
    small.session,
    first,
    { class: 'retryable', code: 'provider/overloaded', message: 'busy' },
    true,
    second(61),
  );
  const again = await prepare(small, 62, { role: EDITED });
  expect(again.opened).toBeUndefined();
  expect(again.record.data.forecast).toEqual(first.record.data.forecast);
});

test('edits that no accepted request contained add up, and an edit that is undone adds nothing', async () => {
  const { small } = await answered();
  const one = await prepare(small, 60, { role: `${EDITED}\nRule A: count twice.` });
  const two = await prepare(small, 61, { role: `${EDITED}\nRule A: count twice.\nRule B: and once more.` });
  expect(saidOf(two).unsent).toBeGreaterThan(saidOf(one).unsent);
  expect(saidOf(two).unsent).toBeLessThan(saidOf(one).unsent + 30);
  const undone = await prepare(small, 62, { role: ROLE });
  expect(saidOf(undone)).toMatchObject({ rewrite: 0 });
  expect(saidOf(undone).unsent).toBeLessThan(saidOf(one).unsent);
});

test('a completely different role counts as new in full', async () => {
  const { small } = await answered();
  const other = ROLE.replaceAll('Rule', 'Law').replaceAll('an order that was packed', 'what was sent');
  expect(saidOf(await prepare(small, 60, { role: other })).unsent).toBeGreaterThan(10_000);
});
