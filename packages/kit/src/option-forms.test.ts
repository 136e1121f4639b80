// Tests options that accept more than one form: costs, the store, and the answer of `permissions.ask`.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionEvent } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';
import { resolveAgent } from './resolve-agent.ts';

const MODEL = 'claude-sonnet-5-5';
const saying = (): ReturnType<typeof createScriptedProvider> =>
  createScriptedProvider({ respond: () => ({ parts: [{ type: 'text', text: 'Well.' }] }) });

test.each<[string | number, string]>([
  ['0.50', '0.50'],
  [0.5, '0.5'],
  [0.1, '0.1'],
  [0.1 + 0.2, '0.30000000000000004'],
  [0, '0'],
  [3, '3'],
  [1e-7, '0.0000001'],
  [1.25e-9, '0.00000000125'],
  [1e21, '1000000000000000000000'],
  [1.5e22, '15000000000000000000000'],
])('the cost %s is exactly %s dollars in limits, subagents and the rewrite notice', (cost, exact) => {
  const options = { limits: { maxCost: cost }, subagents: { maxCost: cost }, cache: { rewriteNotice: { cost } } };
  const { runtime } = resolveAgent({ model: MODEL, provider: saying(), ...options });
  expect([runtime.limits.cost, runtime.subagents?.cost, runtime.rewriteNotice?.cost]).toEqual([exact, exact, exact]);
});

describe('the store', () => {
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'tidemark-store-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  };

  test('that is a string is a folder, and no tool of the workspace may touch it', async () => {
    const home = join(folder(), 'sessions-of-mine');
    const call = { type: 'call', call: callId('c1'), name: 'ls', arguments: JSON.stringify({ path: home }) } as const;
    const answers = [{ parts: [call] }, { parts: [{ type: 'text' as const, text: 'Well.' }] }];
    const provider = createScriptedProvider({ answers });
    const agent = createAgent({ model: MODEL, provider, store: home, workspace: folder() });
    const session = await agent.open();
    await session.prompt('Look.');
    await agent.close();
    expect(readdirSync(join(home, 'sessions'))).toEqual([session.id]);
    expect(new TextDecoder().decode(provider.sent[1]?.body)).toContain('is refused');
  });

  test('`memory` writes no folder', async () => {
    const before = readdirSync('.');
    const agent = createAgent({ model: MODEL, provider: saying(), store: 'memory' });
    await (await agent.open()).prompt('Hello.');
    await agent.close();
    expect(readdirSync('.')).toEqual(before);
  });
});

describe('the answer of `permissions.ask`', () => {
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    input: z.object({}),
    effect: 'write',
    run: () => 'saved',
  });

  /** Runs a turn with one call of `save`. Returns its end and its notices. */
  async function decided(answer: unknown): Promise<{ readonly end: string; readonly notices: readonly string[] }> {
    const call = { type: 'call', call: callId('c1'), name: 'save', arguments: '{}' } as const;
    const provider = createScriptedProvider({
      answers: [{ parts: [call] }, { parts: [{ type: 'text', text: 'Well.' }] }],
    });
    // The value is passed as a program in JavaScript can pass it.
    const permissions: object = { ask: async () => answer };
    const agent = createAgent({ model: MODEL, provider, tools: [save], permissions });
    const events: readonly SessionEvent[] = await Array.fromAsync((await agent.open()).prompt('Save it.'));
    await agent.close();
    const kinds = events.flatMap((event) => (event.type === 'recorded' ? [event.record.kind] : []));
    const notices = events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice.message] : []));
    return { end: kinds.find((kind) => /^tool\.(returned|failed)$/.test(kind)) ?? 'none', notices };
  }

  test.each([
    [true, 'tool.returned'],
    [false, 'tool.failed'],
    [Promise.resolve(true), 'tool.returned'],
    ['allowed', 'tool.returned'],
    ['always', 'tool.returned'],
    ['denied', 'tool.failed'],
    [{ decision: 'denied', reason: 'not now' }, 'tool.failed'],
    [{ decision: 'denied' }, 'tool.failed'],
  ])('%j leads to %s without a notice', async (answer, end) => {
    expect(await decided(answer)).toEqual({ end, notices: [] });
  });

  test('with `words` counts as a no, and a notice names `reason`', async () => {
    const { end, notices } = await decided({ decision: 'denied', words: 'not now' });
    expect(end).toBe('tool.failed');
    expect(notices).toEqual([expect.stringContaining('returned `words`, which was renamed to `reason`')]);
  });

  test.each([[undefined], [null], ['yes'], [1], [{}], [{ decision: 'yes' }], [{ allowed: true }]])(
    '%j counts as a no, and a notice names the accepted answers',
    async (answer) => {
      const { end, notices } = await decided(answer);
      expect(end).toBe('tool.failed');
      expect(notices).toEqual([
        expect.stringMatching(
          /"save" failed: `permissions.ask` returned .*: return true, false, "allowed", "denied", "always"/,
        ),
      ]);
    },
  );
});

test.each(['Host', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'TE', 'keep-alive'])(
  'the header %s is refused in `connection.headers`, because the connection sets it or cannot send it',
  (name) => {
    const connection = { headers: { [name]: 'a' } };
    expect(() => createAgent({ model: MODEL, provider: 'anthropic', apiKey: 'a-key', connection })).toThrow(
      /is set by the connection itself: remove it/,
    );
  },
);
