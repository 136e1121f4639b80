// Tests tool calls that a service outside of the session bills: the record, the cost of the turn, its limit, and the
// accounts.

import { money } from '@tidemark/log';
import { expect, test } from 'vitest';
import { addSession, NO_ACCOUNTS } from '../audit/account-sessions.ts';
import type { Tool, ToolFact } from '../ports/tool.ts';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';

function searchTool(cost: string | undefined): Tool {
  const charge = { service: 'finder', requests: 1, ...(cost !== undefined && { cost: money(cost) }) };
  const facts: readonly ToolFact[] = [{ kind: 'tool.charged', data: charge }];
  return {
    name: 'find_out',
    description: 'Finds out.',
    schema: { type: 'object' },
    effect: 'network',
    read: () => ({ title: 'find out', run: async () => ({ text: 'found', facts }) }),
  };
}

const USAGE = { fresh: 10, read: 0, writes: [], answer: 1, reasoning: 0 };

function searching(): ReturnType<typeof answering> {
  return answering({ ...calls(['c1', 'find_out']), usage: USAGE }, says('done', { usage: USAGE }));
}

test('a charge is recorded after the result, and the turn and the accounts contain its cost', async () => {
  const provider = searching();
  const { live, log, records } = await goLive({ provider, runtime: { tools: [searchTool('0.5')] } });
  const { totals } = await live.prompt('go');
  await live.close();
  const kinds = (await records()).map(({ kind }) => kind);
  expect(kinds[kinds.indexOf('tool.returned') + 1]).toBe('tool.charged');
  expect((await records()).find(({ kind }) => kind === 'tool.charged')?.data).toEqual({
    call: 'c1',
    service: 'finder',
    requests: 1,
    cost: '0.5',
  });
  const { whole, sessions } = await addSession(NO_ACCOUNTS, log, ID, { by: 'session', rowOf: () => undefined });
  expect(whole.charged).toEqual({ requests: 1, cost: '0.5', unpriced: 0 });
  expect(sessions[0]?.account.charged.requests).toBe(1);
  // The cost of the calls to the model is small.
  expect(Number(totals.cost) - Number(whole.cost)).toBeCloseTo(0.5, 10);
});

test('a charge counts against the limit of the turn', async () => {
  const provider = searching();
  const { live } = await goLive({ provider, runtime: { tools: [searchTool('0.5')], limits: { cost: '0.4' } } });
  expect(await live.prompt('go')).toMatchObject({ outcome: 'limited', error: { code: 'turn/limit-cost' } });
  await live.close();
});

test('a charge of unknown cost is in no sum, and the accounts count it', async () => {
  const { live, log } = await goLive({ provider: searching(), runtime: { tools: [searchTool(undefined)] } });
  const { totals } = await live.prompt('go');
  await live.close();
  const { whole } = await addSession(NO_ACCOUNTS, log, ID, { by: 'session', rowOf: () => undefined });
  expect(whole.charged).toEqual({ requests: 1, cost: '0', unpriced: 1 });
  expect(totals.cost).toBe(whole.cost);
});
