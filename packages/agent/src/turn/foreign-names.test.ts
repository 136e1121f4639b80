// Tests tool names, call ids and model names that are also properties of every JavaScript object, such as
// `constructor`.

import { describe, expect, test } from 'vitest';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { answering, calls, goLive, heldBy, says } from '../../tests/small-live.ts';
import { row } from '../../tests/small-session.ts';
import { made } from '../../tests/small-work.ts';

const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'] as const;

describe.each(NAMES)('the name %s', (name) => {
  test('works as the name of a tool', async () => {
    const provider = answering(calls(['c1', name]), says('done'));
    const tools = [made(name, () => ({ text: 'seen' }))];
    const { live } = await goLive({ provider, runtime: { tools } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done', totals: { calls: 1 } });
    const [, second] = provider.sent.map(({ body }) => heldBy(body));
    expect(second).toContain('seen');
  });

  test('is refused as the name of an unknown tool, and the turn continues', async () => {
    const provider = answering(calls(['c1', name]), says('done'));
    const { live, records } = await goLive({ provider });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    const failed = (await records()).find(({ kind }) => kind === 'tool.failed');
    expect(JSON.stringify(failed?.data)).toContain(name);
  });

  test('works as the id of a call', async () => {
    const provider = answering(calls([name, 'look']), says('done'));
    const { live, records } = await goLive({ provider, runtime: { tools: [made('look', () => ({ text: 'seen' }))] } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done' });
    const returned = (await records()).find(({ kind }) => kind === 'tool.returned');
    expect(returned?.data).toMatchObject({ call: name });
  });

  test('works as the name of a model, and the forecasts are numbers', async () => {
    const provider = answering(says('one'), says('two'));
    const capabilities = { ...row('claude-sonnet-4-5'), model: name };
    const { live, records } = await goLive({ provider, runtime: { capabilities } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed' });
    expect(await live.prompt('go on')).toMatchObject({ outcome: 'completed', text: 'two' });
    const forecasts = (await records()).flatMap((one) => (one.kind === 'request.prepared' ? [one.data.forecast] : []));
    expect(forecasts).toHaveLength(2);
    expect(JSON.stringify(forecasts)).not.toMatch(/null|NaN|function/);
  });
});

describe('a call without an id', () => {
  const blank = (...names: readonly string[]): ScriptedAnswer => ({
    parts: names.map((name) => ({ type: 'call', call: '', name, arguments: '{}' })),
  });

  test('runs under a generated id, and the turn continues', async () => {
    const provider = answering(blank('look', 'look'), blank('look'), says('done'));
    const { live, records } = await goLive({ provider, runtime: { tools: [made('look', () => ({ text: 'seen' }))] } });
    expect(await live.prompt('go')).toMatchObject({ outcome: 'completed', text: 'done', totals: { calls: 3 } });
    const ids = (await records()).flatMap((one) => (one.kind === 'tool.returned' ? [one.data.call] : []));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('');
  });
});
