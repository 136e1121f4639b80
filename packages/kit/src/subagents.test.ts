// Tests subagents: an agent has the tool `agent` only if the option `subagents` is set.

import { callId } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { AgentOptions } from './agent-options.ts';
import { createAgent } from './create-agent.ts';

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });
const asks: ScriptedAnswer = {
  parts: [{ type: 'call', call: callId('a1'), name: 'agent', arguments: '{"role":"poet","task":"Write a line."}' }],
};

async function play(options: Partial<AgentOptions>, ...answers: readonly ScriptedAnswer[]) {
  const provider = createScriptedProvider({ answers });
  const agent = createAgent({ model: 'claude-sonnet-5-5', provider, ...options });
  const session = await agent.open();
  const turn = await session.prompt('Have a line written.');
  const { sessions } = await agent.log.sessions();
  await agent.close();
  return { turn, sessions, bodies: provider.sent.map(({ body }) => new TextDecoder().decode(body)) };
}

test("`subagents` adds the tool `agent`, which runs a subagent in its own session and returns the subagent's answer", async () => {
  const { turn, sessions, bodies } = await play(
    { subagents: {} },
    asks,
    says('The tide goes out.'),
    says('There it is.'),
  );
  expect(turn).toMatchObject({ outcome: 'completed', text: 'There it is.', totals: { steps: 2, calls: 1 } });
  const [parent] = sessions.filter(({ startedBy }) => startedBy === undefined);
  expect(sessions.map(({ startedBy }) => startedBy?.session)).toContain(parent?.session);
  expect(bodies[1]).toContain('Your role: poet\\nYour task:\\nWrite a line.');
  expect(bodies[2]).toContain('The tide goes out.');
});

test.each([{}, { subagents: false } as const])('an agent with %j has no subagents', async (options) => {
  const { sessions, bodies } = await play(options, asks, says('Alone, then.'));
  expect(sessions).toHaveLength(1);
  expect(bodies[0]).not.toContain('"agent"');
  expect(bodies[1]).toContain('There is no tool named');
});

test('a rule can deny the tool `agent`, like any other tool', async () => {
  const rules = [{ decision: 'deny', tool: 'agent' }] as const;
  const { sessions, bodies } = await play({ subagents: {}, permissions: { rules } }, asks, says('Alone, then.'));
  expect(sessions).toHaveLength(1);
  expect(bodies[1]).toContain('was denied and did not run');
});
