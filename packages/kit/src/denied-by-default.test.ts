// Tests that the default mode of `createAgent` reports the calls that it denies.

import type { Notice } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';
import { defineTool } from './define-tool.ts';

const save = defineTool({
  name: 'save',
  description: 'Saves.',
  input: z.object({}),
  effect: 'write',
  run: () => 'saved',
});

async function raisedBy(permissions: AgentOptions['permissions'] = {}): Promise<readonly Notice[]> {
  const call = { type: 'call', call: callId('c1'), name: 'save', arguments: '{}' } as const;
  const provider = createScriptedProvider({
    answers: [{ parts: [call] }, { parts: [{ type: 'text', text: 'Well.' }] }],
  });
  const agent = createAgent({ model: 'claude-sonnet-5-5', provider, tools: [save], permissions });
  const events = await Array.fromAsync((await agent.open()).prompt('Save it.'));
  await agent.close();
  return events.flatMap((event) => (event.type === 'notice.raised' ? [event.notice] : []));
}

async function noticesOf(permissions: AgentOptions['permissions'] = {}): Promise<readonly string[]> {
  return (await raisedBy(permissions)).map(({ code }) => code);
}

test('an agent without `permissions` raises a notice about a tool that writes', async () => {
  expect(await noticesOf()).toEqual(['permissions/default-mode']);
});

test('an agent with a chosen mode raises no notice about the mode', async () => {
  expect(await noticesOf({ mode: 'read-only' })).toEqual([]);
  expect(await noticesOf({ mode: 'auto' })).toEqual([]);
  expect(await noticesOf({ mode: 'ask' })).toEqual(['permissions/no-asker']);
});

test('the notice about a tool that a rule allows reports that the default mode overrides the rule', async () => {
  const rules = [{ decision: 'allow', tool: 'save' }] as const;
  expect(await raisedBy({ rules })).toMatchObject([
    {
      code: 'permissions/default-mode',
      message: expect.stringContaining('the default mode "read-only" overrides the rule that allows "save"'),
      next: expect.stringContaining('Set `permissions.mode` to "ask" and keep the rule'),
    },
  ]);
  expect(await raisedBy({ rules, mode: 'ask' })).toEqual([]);
});
