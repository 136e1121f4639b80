// Tests the first request above a price cliff. A price cliff is an input length above which the whole request costs
// more. The request is reported one time before it is sent. Later, `explainSession` and the accounts report it.

import type { SessionId, Usage } from '@tidemark/log';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryBackend } from '@tidemark/store-memory';
import { expect, test } from 'vitest';
import type { Live, Setting } from '../../tests/small-live.ts';
import { answering, calls, failure, goLive, says } from '../../tests/small-live.ts';
import { ID, row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';
import { NO_ACCOUNTS, addSession } from '../audit/account-sessions.ts';
import { explainSession } from '../audit/explain.ts';
import type { Notice } from '../ports/session-event.ts';

/** Catalog row in which a request above 100,000 tokens costs five times as much. */
const HAIKU = row('claude-haiku-5-5');
const CLIFF = 'context/price-cliff';
const used = (read: number, written: number): { readonly usage: Usage } => ({
  usage: { fresh: 0, read, writes: [{ ttl: '5m', tokens: written }], answer: 10 },
});
/** Text of about 97,000 tokens. */
const LONG = 'word '.repeat(97_000);
/** Tool with a result of about 4,000 tokens. */
const look = made('look', () => ({ text: 'word '.repeat(4_000) }));

interface Heard extends Live {
  readonly notices: readonly Notice[];
}

async function heard(provider: ReturnType<typeof answering>, setting: Partial<Setting> = {}): Promise<Heard> {
  const runtime = { capabilities: HAIKU, tools: [look], rewriteNotice: {}, ...setting.runtime };
  const held = await goLive({ ...setting, provider, runtime });
  const notices: Notice[] = [];
  const listen = async (): Promise<void> => {
    for await (const event of held.live.events()) if (event.type === 'notice.raised') notices.push(event.notice);
  };
  void listen();
  return { ...held, notices };
}

const cliffsOf = ({ notices }: Heard): readonly Notice[] => notices.filter(({ code }) => code === CLIFF);

test('a price cliff is reported once, before the request is sent, with its extra cost and the next action', async () => {
  const provider = answering(
    { ...calls(['c1', 'look']), ...used(0, 98_000) },
    { ...calls(['c2', 'look']), ...used(98_000, 4_010) },
    says('done', used(102_010, 4_010)),
    says('more', used(106_020, 20)),
  );
  const turn = await heard(provider);
  await turn.live.prompt(LONG);
  await turn.live.prompt('go on');
  expect(cliffsOf(turn)).toEqual([
    {
      code: CLIFF,
      // Reading 98,000 tokens costs 0.04 dollars more per million. Writing about 4,000 tokens costs 0.5 dollars more
      // per million.
      message: expect.stringMatching(
        /^the next request has about 10\d,\d{3} tokens: above 100,000 tokens the whole request costs more, \$0\.00[56]\d+ more for this request, and every longer request costs more, too$/,
      ),
      next: 'See what a compaction would free with `session.compact({ dryRun: true })`.',
    },
  ]);
});

test('a price cliff is reported before any part of the answer', async () => {
  const provider = answering({ ...calls(['c1', 'look']), ...used(0, 98_000) }, says('done', used(98_000, 4_010)));
  const { live } = await heard(provider);
  const order: string[] = [];
  for await (const event of live.prompt(LONG))
    order.push(event.type === 'notice.raised' ? event.notice.code : event.type);
  expect(order.indexOf(CLIFF)).toBeGreaterThan(0);
  expect(order.indexOf(CLIFF)).toBeLessThan(order.indexOf('text.delta'));
});

test('a price cliff is reported again neither for another attempt nor by another process', async () => {
  const shelf = createMemoryBackend();
  const bad = says('', { fault: { after: 0, error: failure() } });
  const first = answering({ ...calls(['c1', 'look']), ...used(0, 98_000) }, bad, says('done', used(98_000, 4_010)));
  const one = await heard(first, { shelf });
  const turn = one.live.prompt(LONG);
  for await (const event of turn) if (event.type === 'notice.raised' && event.notice.code !== CLIFF) one.pass(60_000);
  await turn;
  await one.live.close();
  const two = await heard(answering(says('yes', used(102_010, 20))), { shelf });
  await two.live.prompt('more');
  expect([cliffsOf(one).length, cliffsOf(two).length]).toEqual([1, 0]);
});

test('a price cliff that a request crossed unexpectedly is reported once, with the next request', async () => {
  const provider = answering(
    says('one', used(0, 100_500)),
    says('two', used(100_500, 20)),
    says('three', used(100_520, 20)),
  );
  const session = await heard(provider);
  await session.live.prompt(LONG);
  expect(cliffsOf(session)).toEqual([]);
  await session.live.prompt('go on');
  await session.live.prompt('and on');
  expect(cliffsOf(session)).toHaveLength(1);
});

test('no price cliff is reported below its length or for a model with one price', async () => {
  const script = [{ ...calls(['c1', 'look']), ...used(0, 90_000) }, says('done', used(90_000, 4_010))] as const;
  const below = await heard(answering(...script));
  await below.live.prompt(LONG);
  const long = [{ ...calls(['c1', 'look']), ...used(0, 98_000) }, says('done', used(98_000, 4_010))] as const;
  const flat = await heard(answering(...long), { runtime: { capabilities: row('claude-sonnet-4-5') } });
  await flat.live.prompt(LONG);
  expect([...cliffsOf(below), ...cliffsOf(flat)]).toEqual([]);
});

test('`explainSession` names the step that crossed the price cliff, and the account sums the extra cost of each call above the cliff', async () => {
  const provider = answering(
    { ...calls(['c1', 'look']), ...used(0, 98_000) },
    says('done', used(98_000, 4_010)),
    says('more', used(102_010, 20)),
  );
  const { live, log } = await heard(provider);
  await live.prompt(LONG);
  await live.prompt('go on');
  const { explained } = await explainSession(log, ID, () => scriptedEncoder);
  // The cost includes ten answer tokens. They cost 2 dollars more per million.
  expect(explained).toMatchObject([{ step: 1, cliff: { above: 100_000, cost: '0.005945' } }]);
  const session: SessionId = ID;
  const { whole } = await addSession(NO_ACCOUNTS, log, session, { by: 'session', rowOf: () => HAIKU });
  expect(whole.dearer).toEqual({ calls: 2, cost: '0.0100554', unpriced: 0 });
});
