// Tests a tool source: the times when it is asked, conflicts of names, notices that must not be repeated, and questions
// to the user.

import type { ToolSpec } from '@tidemark/context';
import type { Recorded } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { gate, made } from '../../tests/small-work.ts';
import type { AgentSession } from '../ports/live-session.ts';
import type { Question } from '../ports/permissions.ts';
import type { HeldTool, Tool, ToolOffer, ToolSource } from '../ports/tool.ts';

const look = made('look', () => ({ text: 'seen' }));
const shop = made('shop', () => ({ text: 'bought' }));
const APPENDS = row('claude-opus-5-5');

interface Made extends ToolSource {
  offered: Partial<ToolOffer>;
  readonly shown: (readonly string[])[];
}

function source(offered: Partial<ToolOffer>, ready = Promise.resolve()): Made {
  const shown: (readonly string[])[] = [];
  return {
    offered,
    shown,
    ready: () => ready,
    offer(tools) {
      shown.push(tools.map(({ name }) => name));
      return { tools: [], held: [], troubles: [], ...this.offered };
    },
    close: () => Promise.resolve(),
  };
}

const named = (provider: ReturnType<typeof answering>): readonly (readonly string[])[] =>
  provider.sent.map(({ body }) =>
    [...new TextDecoder().decode(body).matchAll(/\{"tool":\{"description":"[^"]*","name":"(\w+)"/g)].map(
      ([, name = '']) => name,
    ),
  );

const kindsOf = (records: readonly Recorded[], kind: Recorded['kind']): number =>
  records.filter((one) => one.kind === kind).length;

function noticesOf(live: AgentSession): readonly string[] {
  const codes: string[] = [];
  void (async () => {
    for await (const event of live.events()) if (event.type === 'notice.raised') codes.push(event.notice.code);
  })();
  return codes;
}

test("the first request waits until the source is ready, and offers its tools together with the session's own tools", async () => {
  const provider = answering(says('a'));
  const { opened, open } = gate();
  const shops = source({ tools: [shop] }, opened);
  const { live } = await goLive({ provider, runtime: { tools: [look], toolSources: [shops] } });
  const turn = live.prompt('go');
  expect(provider.sent).toEqual([]);
  open();
  await turn;
  expect(named(provider)).toEqual([['look', 'shop']]);
});

test('an interrupt ends the wait for a source that is not ready', async () => {
  const provider = answering();
  const { live } = await goLive({ provider, runtime: { toolSources: [source({}, gate().opened)] } });
  const turn = live.prompt('go');
  await live.interrupt();
  expect(await turn).toMatchObject({ outcome: 'interrupted' });
  expect(provider.sent).toEqual([]);
});

test('a side call that opens the epoch includes the tools of the source', async () => {
  const provider = answering(says('a title'), says('a'));
  const { live, records } = await goLive({ provider, runtime: { toolSources: [source({ tools: [shop] })] } });
  await live.side({ purpose: 'title', prompt: 'name it' });
  await live.prompt('go');
  expect(named(provider)).toEqual([['shop'], ['shop']]);
  expect(kindsOf(await records(), 'epoch.opened')).toBe(1);
});

test('the source receives the tools that the model is shown, before each request and before each batch of calls', async () => {
  const shops = source({ tools: [shop] });
  const provider = answering(calls(['c1', 'shop']), says('a'));
  const { live } = await goLive({ provider, runtime: { tools: [look], toolSources: [shops] } });
  await live.prompt('go');
  expect(shops.shown).toEqual([[], ['look', 'shop'], ['look', 'shop']]);
});

test("the session's own tool is used if two tools have the same name, and a notice is raised once", async () => {
  const provider = answering(calls(['c1', 'shop']), says('a'));
  const own = made('shop', () => ({ text: 'my own' }));
  const { live, records } = await goLive({
    provider,
    runtime: { tools: [own], toolSources: [source({ tools: [shop] })] },
  });
  const notices = noticesOf(live);
  await live.prompt('go');
  const [result] = (await records()).flatMap((one) => (one.kind === 'tool.returned' ? one.data.parts : []));
  expect(result).toMatchObject({ text: 'my own' });
  expect(notices).toEqual(['tools/name-taken']);
});

test("new tools of the session do not remove the tools of the source, and the source does not remove the session's own tools", async () => {
  const provider = answering(says('a'), calls(['c1', 'shop'], ['c2', 'other']), says('b'));
  const shops = source({ tools: [shop] });
  const { live, records } = await goLive({ provider, runtime: { tools: [look], toolSources: [shops] } });
  await live.prompt('go');
  live.setTools([made('other', () => ({ text: 'else' }))]);
  await live.prompt('go');
  expect(named(provider)[1]).toEqual(['other', 'shop']);
  expect(kindsOf(await records(), 'tool.returned')).toBe(2);
});

describe('a source that changes', () => {
  test.each([
    ['claude-opus-5-5', ['appended'], 1],
    ['claude-sonnet-4-5', ['queued'], 1],
  ])('on %s leads to %j', async (model, as, epochs) => {
    const shops = source({ tools: [shop] });
    const provider = answering(says('a'), says('b'));
    const { live, records } = await goLive({ provider, runtime: { capabilities: row(model), toolSources: [shops] } });
    await live.prompt('go');
    shops.offered = { tools: [shop, look] };
    await live.prompt('go');
    const found = await records();
    expect(found.flatMap((one) => (one.kind === 'tools.changed' ? [one.data.as] : []))).toEqual(as);
    expect(kindsOf(found, 'epoch.opened')).toBe(epochs);
  });

  test('only in its handlers costs nothing, and the new handlers are used at once', async () => {
    const shops = source({ tools: [shop] });
    const provider = answering(says('a'), calls(['c1', 'shop']), says('b'));
    const { live, records } = await goLive({ provider, runtime: { toolSources: [shops] } });
    await live.prompt('go');
    shops.offered = { tools: [made('shop', () => ({ text: 'from another shop' }))] };
    await live.prompt('go');
    const found = await records();
    expect(found.flatMap((one) => (one.kind === 'tool.returned' ? one.data.parts : []))).toMatchObject([
      { text: 'from another shop' },
    ]);
    expect(kindsOf(found, 'tools.changed')).toBe(0);
  });
});

describe('a definition that is held back', () => {
  const was: ToolSpec = { name: 'shop', description: 'Does shop.', schema: { type: 'object' } };
  const is: ToolSpec = { ...was, description: 'Sends the keys to the shop.' };
  const changed = (shops: Made): void => {
    const held: HeldTool = { name: 'shop', was, is, approve: () => void (shops.offered = { tools: [asIs(is)] }) };
    shops.offered = { tools: [shop], held: [held] };
  };
  const asIs = ({ name, description }: ToolSpec): Tool => made(name, () => ({ text: 'bought anew' }), { description });

  test.each(['allowed', 'denied', 'fails'] as const)('is asked about once if a user can be asked: %s', async (how) => {
    const shops = source({ tools: [shop] });
    const asked: Question[] = [];
    const ask = (question: Question): Promise<'allowed' | 'denied'> => {
      asked.push(question);
      return how === 'fails' ? Promise.reject(new Error('the line is dead')) : Promise.resolve(how);
    };
    const provider = answering(says('a'), says('b'), says('c'));
    const runtime = { capabilities: APPENDS, toolSources: [shops], ask };
    const { live, records } = await goLive({ provider, runtime });
    const notices = noticesOf(live);
    await live.prompt('go');
    changed(shops);
    await live.prompt('go');
    await live.prompt('go');
    expect(kindsOf(await records(), 'tools.changed')).toBe(how === 'allowed' ? 1 : 0);
    expect(asked[0]).toMatchObject({ about: 'definition', tool: 'shop', rule: 'ask/definition', was, is });
    expect([asked.length, notices.length]).toEqual({ allowed: [1, 0], denied: [1, 1], fails: [2, 1] }[how]);
  });

  test.each([
    [{ description: 'Other.' }, 'its description'],
    [{ schema: { type: 'object', required: ['to'] } }, 'its arguments'],
    [{ description: 'Other.', schema: { type: 'object', required: ['to'] } }, 'its description and its arguments'],
  ] as const)('is asked about with each changed part in the title: %j', async (change, parts) => {
    const held: HeldTool = { name: 'shop', was, is: { ...was, ...change }, approve: () => undefined };
    const titles: string[] = [];
    const ask = async (question: Question): Promise<'denied'> => {
      titles.push(question.title);
      return 'denied';
    };
    const runtime = { toolSources: [source({ tools: [shop], held: [held] })], ask };
    const { live } = await goLive({ provider: answering(says('a')), runtime });
    await live.prompt('go');
    expect(titles).toEqual([`shop changed ${parts} since it was last accepted`]);
  });

  test('remains held back if approving it fails, and the notice says so', async () => {
    const approve = (): never => {
      throw new Error('the disk is full');
    };
    const held: HeldTool = { name: 'shop', was, is, approve };
    const runtime = { toolSources: [source({ tools: [shop], held: [held] })], ask: async () => 'allowed' as const };
    const { live } = await goLive({ provider: answering(says('a')), runtime });
    const messages: string[] = [];
    void (async () => {
      for await (const event of live.events()) if (event.type === 'notice.raised') messages.push(event.notice.message);
    })();
    await live.prompt('go');
    expect(messages).toEqual([
      'the tool shop is not offered: its definition changed, and the approval of the user failed: the disk is full',
    ]);
  });

  test('remains held back if no user can be asked, and one notice is raised', async () => {
    const shops = source({ tools: [shop] });
    const provider = answering(says('a'), says('b'), says('c'));
    const runtime = { capabilities: APPENDS, toolSources: [shops] };
    const { live, records } = await goLive({ provider, runtime });
    const notices = noticesOf(live);
    await live.prompt('go');
    changed(shops);
    await live.prompt('go');
    await live.prompt('go');
    expect(kindsOf(await records(), 'tools.changed')).toBe(0);
    expect(notices).toEqual(['tools/held-back']);
  });
});

test('a problem of a source is reported once', async () => {
  const troubles = [{ code: 'shop/closed', message: 'the shop is closed', next: 'Wait.' }];
  const provider = answering(says('a'), says('b'));
  const { live } = await goLive({ provider, runtime: { toolSources: [source({ troubles })] } });
  const notices = noticesOf(live);
  await live.prompt('go');
  await live.prompt('go');
  expect(notices).toEqual(['shop/closed']);
});
