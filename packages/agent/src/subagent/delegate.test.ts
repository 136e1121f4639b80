// Tests subagents of a live session: the content of each log, the text that the calling model gets, and the limits of
// subagents.

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { describe, expect, test } from 'vitest';
import type { Family } from '../../tests/small-family.ts';
import { agent, goWithAgents, of, parentAsks } from '../../tests/small-family.ts';
import { calls, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { Question } from '../ports/permissions.ts';

const look = made('look', () => ({ text: 'found' }));

test('a subagent works in a session of its own, and its last text is the result of the call', async () => {
  const provider = parentAsks([agent('a1', { role: 'finder', task: 'Find the tax.' })], (said) =>
    said.includes('found') ? says('It is in tax.js.') : calls(['c1', 'look']),
  );
  const { live, records, childrenOf } = await goWithAgents(provider, { tools: [look] });
  const turn = await live.prompt('Where is the tax?');
  expect(turn).toMatchObject({ outcome: 'completed', text: 'Thank you.' });
  const own = await records();
  const [child = []] = await childrenOf();
  const started = { child: 'name-2', role: 'finder', task: 'Find the tax.', call: 'a1' };
  expect(of(own, 'subagent.started')[0]?.data).toEqual(started);
  expect(of(own, 'subagent.ended')[0]?.data).toMatchObject({
    child: 'name-2',
    status: 'completed',
    summary: 'It is in tax.js.',
  });
  expect(of(child, 'session.created')[0]?.data).toEqual({
    id: 'name-2',
    root: live.id,
    startedBy: { session: live.id, call: 'a1', depth: 1 },
    workspace: '/w',
    title: 'Find the tax.',
  });
  expect(of(child, 'turn.started')[0]?.data).toEqual({ trigger: 'subagent' });
  expect(of(child, 'prompt.given')[0]?.data).toMatchObject({ presenter: 'agent' });
  expect(of(child, 'turn.ended')[0]?.data).toMatchObject({ outcome: 'completed', totals: { steps: 2, calls: 1 } });
  const [result] = of(own, 'tool.returned');
  expect(result?.data.parts).toEqual([
    { type: 'text', text: 'Subagent name-2 completed its task (2 answers, 1 call, cost unknown).\n\nIt is in tax.js.' },
  ]);
});

test('`subagent.ended` directly follows the result of the call, and `subagent.started` comes before the result', async () => {
  const provider = parentAsks([agent('a1', { task: 'Look.' })], () => says('Seen.'));
  const { live, kinds } = await goWithAgents(provider);
  await live.prompt('Go.');
  expect((await kinds()).slice(6)).toEqual([
    'answer.received',
    'permission.decided',
    'tool.started',
    'subagent.started',
    'tool.returned',
    'subagent.ended',
    'request.prepared',
    'answer.received',
    'turn.ended',
  ]);
});

test('a subagent has the front, the cache key and the tools of its parent', async () => {
  const provider = parentAsks([agent('a1', { task: 'Look.' })], () => says('Seen.'));
  const { live, records, childrenOf } = await goWithAgents(provider, { role: 'You keep the books.', tools: [look] });
  await live.prompt('Go.');
  const [own] = of(await records(), 'epoch.opened');
  const [child] = of((await childrenOf())[0] ?? [], 'epoch.opened');
  expect(child?.data).toEqual(own?.data);
});

test('at most `parallel` subagents work at the same time, and all of them finish', async () => {
  let atWork = 0;
  let most = 0;
  const busy = made('busy', async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise((resolve) => setImmediate(resolve));
    atWork -= 1;
    return { text: 'found' };
  });
  const asked = ['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => agent(id, { task: `Task of ${id}.` }));
  const provider = parentAsks(asked, (said) => (said.includes('found') ? says('Done.') : calls(['c1', 'busy'])));
  const { live, records } = await goWithAgents(provider, { tools: [busy], subagents: { parallel: 2 } });
  await live.prompt('Go.');
  expect(most).toBe(2);
  expect(of(await records(), 'subagent.ended').map(({ data }) => data.status)).toEqual(Array(5).fill('completed'));
});

test('a session starts at most `total` subagents, and a subagent starts none', async () => {
  const provider = parentAsks([agent('a1', { task: 'One.' }), agent('a2', { task: 'Two.' })], (said) =>
    said.some((text) => text.startsWith('A subagent cannot start subagents'))
      ? says('Alone, then.')
      : calls(agent('b1', { task: 'Deeper.' })),
  );
  const { live, records, childrenOf } = await goWithAgents(provider, { subagents: { total: 1 } });
  await live.prompt('Go.');
  const [refused] = of(await records(), 'tool.failed');
  expect(refused?.data.parts).toEqual([
    { type: 'text', text: 'This session has started its maximum of subagents (1 of 1): do the work yourself.' },
  ]);
  const children = await childrenOf();
  expect(children).toHaveLength(1);
  expect(of(children[0] ?? [], 'subagent.started')).toEqual([]);
  expect(of(children[0] ?? [], 'turn.ended')[0]?.data.outcome).toBe('completed');
});

test('a subagent that reaches its own limit reports the limit as the failure of its call', async () => {
  const provider = parentAsks([agent('a1', { task: 'Look.' })], () => calls(['c1', 'look']));
  const { live, records } = await goWithAgents(provider, { tools: [look], subagents: { steps: 1 } });
  await live.prompt('Go.');
  expect(of(await records(), 'subagent.ended')[0]?.data).toMatchObject({ status: 'limited' });
  expect(of(await records(), 'tool.failed')[0]?.data.parts).toEqual([
    { type: 'text', text: expect.stringContaining('reached a limit: the turn reached its limit: 1 of 1 steps') },
  ]);
});

describe('the permission of a subagent', () => {
  const write = made('write', () => ({ text: 'found' }), { effect: 'write' });
  const child = (said: readonly string[]): ScriptedAnswer =>
    said.some((text) => text === 'found' || text.includes('was denied')) ? says('Done.') : calls(['c1', 'write']);
  const decisions = async ({ childrenOf }: Family) =>
    of((await childrenOf())[0] ?? [], 'permission.decided').map(({ data }) => [data.decision, data.rule]);

  test('is at most the permission of its parent', async () => {
    const family = await goWithAgents(
      parentAsks([agent('a1', { task: 'Write.' })], child),
      { tools: [write] },
      { open: { mode: 'read-only' } },
    );
    await family.live.prompt('Go.');
    expect(await decisions(family)).toEqual([['denied', 'read-only/write']]);
  });

  test('is lower if the call asks for a read-only subagent', async () => {
    const family = await goWithAgents(parentAsks([agent('a1', { task: 'Write.', readOnly: true })], child), {
      tools: [write],
    });
    await family.live.prompt('Go.');
    expect(await decisions(family)).toEqual([['denied', 'read-only/write']]);
    expect(family.live.mode).toBe('auto');
  });

  test('follows the rules of its parent', async () => {
    const rules = [{ decision: 'deny', tool: 'write' }] as const;
    const family = await goWithAgents(parentAsks([agent('a1', { task: 'Write.' })], child), { tools: [write], rules });
    await family.live.prompt('Go.');
    expect(await decisions(family)).toEqual([['denied', expect.stringContaining('write')]]);
  });

  test('comes from the same user as that of its parent, one question at a time', async () => {
    const titles: string[] = [];
    let open = 0;
    const ask = async ({ title }: { readonly title: string }) => {
      titles.push(title);
      open += 1;
      expect(open).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'allowed' as const;
    };
    const asked = [agent('a1', { task: 'Write.', role: 'clerk' }), agent('a2', { task: 'Write.' })];
    const family = await goWithAgents(parentAsks(asked, child), { tools: [write], ask }, { open: { mode: 'ask' } });
    await family.live.prompt('Go.');
    expect(titles.toSorted()).toEqual(['subagent clerk: write it', 'subagent subagent: write it']);
  });

  test("does not include the project grants, so the user is asked about the subagent's calls", async () => {
    const kept = { tool: 'write', paths: ['a'] };
    const grants = { kept: async () => [kept], keep: async () => undefined };
    const placed = {
      ...write,
      read: () => ({ title: 'write it', effects: { paths: [{ path: 'a' }] }, run: async () => ({}) }),
    };
    const offers: unknown[] = [];
    const ask = async (question: Question) => {
      offers.push(question.about === 'call' ? question.offer?.project : question.about);
      return 'denied' as const;
    };
    const provider = parentAsks([agent('a1', { task: 'Write.' })], child);
    const family = await goWithAgents(provider, { tools: [placed], ask, grants }, { open: { mode: 'ask' } });
    await family.live.prompt('Go.');
    expect(offers).toEqual([false]);
    expect(await decisions(family)).toEqual([['denied', 'ask/write']]);
  });

  test('is narrowed together with its parent while it works', async () => {
    const family: Family = await goWithAgents(
      parentAsks([agent('a1', { task: 'Write.' })], (said) =>
        said.includes('narrowed') ? child(said) : calls(['c0', 'narrow']),
      ),
      { tools: [write, made('narrow', async () => (await family.live.setMode('read-only'), { text: 'narrowed' }))] },
    );
    await family.live.prompt('Go.');
    expect((await decisions(family)).at(-1)).toEqual(['denied', 'read-only/write']);
  });
});

test('interrupting a session interrupts its subagents, and their endings are recorded', async () => {
  const reached = Promise.withResolvers<void>();
  const hang = made('hang', ({ signal }) => {
    reached.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  const asked = [agent('a1', { task: 'One.' }), agent('a2', { task: 'Two.' }), agent('a3', { task: 'Three.' })];
  const provider = parentAsks(asked, () => calls(['c1', 'hang']));
  const { live, records, childrenOf } = await goWithAgents(provider, { tools: [hang], subagents: { parallel: 2 } });
  const turn = live.prompt('Go.');
  await reached.promise;
  await live.interrupt();
  expect(await turn).toMatchObject({ outcome: 'interrupted' });
  expect(of(await records(), 'subagent.ended').map(({ data }) => data.status)).toEqual(['interrupted', 'interrupted']);
  expect((await childrenOf()).map((child) => of(child, 'turn.ended')[0]?.data.outcome)).toEqual([
    'interrupted',
    'interrupted',
  ]);
  expect(of(await records(), 'tool.abandoned').map(({ data }) => [data.call, data.reason])).toEqual([
    ['a3', 'interrupted'],
  ]);
});

test('a subagent that is stopped at the time limit of its parent ends as limited, not as interrupted', async () => {
  const reached = Promise.withResolvers<void>();
  const hang = made('hang', ({ signal }) => {
    reached.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  const provider = parentAsks([agent('a1', { task: 'One.' })], () => calls(['c1', 'hang']));
  const { live, pass, records, childrenOf } = await goWithAgents(provider, { tools: [hang], limits: { ms: 200 } });
  const turn = live.prompt('Go.');
  await reached.promise;
  pass(200);
  expect(await turn).toMatchObject({ outcome: 'limited', limit: 'time' });
  expect(of(await records(), 'subagent.ended').map(({ data }) => data.status)).toEqual(['limited']);
  expect((await childrenOf()).map((child) => of(child, 'turn.ended')[0]?.data.error?.code)).toEqual([
    'turn/limit-time',
  ]);
});

test('the usage of subagents counts for the turn, and the token limit of the turn bounds them', async () => {
  const provider = parentAsks(
    [agent('a1', { task: 'Look.' }), agent('a2', { task: 'Look.' })],
    () => calls(['c1', 'look']),
    { fresh: 100, read: 0, writes: [], answer: 10 },
  );
  const { live, childrenOf } = await goWithAgents(provider, { tools: [look], limits: { tokens: 1_930 } });
  const { outcome, totals } = await live.prompt('Go.');
  // The parent's own call takes 110 tokens, so each of the two subagents is allowed to take 910. For the ninth call of
  // a subagent, the input alone would exceed 910.
  expect((await childrenOf()).map((child) => of(child, 'answer.received').length)).toEqual([8, 8]);
  expect([outcome, totals]).toEqual(['limited', { steps: 1, calls: 2, input: 1_700, output: 170, cost: '0.00765' }]);
});

test('a session without subagents refuses a call of the tool `agent`', async () => {
  const provider = parentAsks([agent('a1', { task: 'Look.' })], () => says('Seen.'));
  const { live, records } = await goWithAgents(provider, { subagents: false });
  await live.prompt('Go.');
  expect(of(await records(), 'tool.failed')[0]?.data.parts).toEqual([
    { type: 'text', text: 'This session cannot start subagents: do the work yourself.' },
  ]);
});

test('closing a session first ends its subagents and releases the locks of their sessions', async () => {
  const reached = Promise.withResolvers<void>();
  const hang = made('hang', ({ signal }) => {
    reached.resolve();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  const provider = parentAsks([agent('a1', { task: 'One.' })], () => calls(['c1', 'hang']));
  const { live, log, records } = await goWithAgents(provider, { tools: [hang] });
  const turn = live.prompt('Go.');
  await reached.promise;
  await live.close();
  expect(await turn).toMatchObject({ outcome: 'interrupted' });
  const [ended = expect.unreachable()] = of(await records(), 'subagent.ended');
  expect(ended.data.status).toBe('interrupted');
  await (await log.open(ended.data.child)).close();
});
