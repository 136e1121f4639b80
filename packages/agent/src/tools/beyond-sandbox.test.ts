// Tests a call that asks for more access than its sandbox gives. The user is asked about this call, even if rules allow
// it.

import { expect, test } from 'vitest';
import { beginWork, made } from '../../tests/small-work.ts';
import type { Question } from '../ports/permissions.ts';
import type { Tool } from '../ports/tool.ts';
import { runCalls } from './run-calls.ts';

test.each([
  ['asks in mode auto if commands are sandboxed', false, [], 1],
  ['asks also if a rule allows the whole tool', false, [{ decision: 'allow', tool: 'go' }], 1],
  ['does not ask in mode auto with `allowUnsandboxed`, because there is no sandbox to leave', true, [], 0],
] as const)('a call that asks for more than its sandbox gives %s', async (_, allowUnsandboxed, rules, questions) => {
  const seen: Question[] = [];
  const tool = made('go', () => ({}), { effect: 'execute' });
  const read: Tool['read'] = () => ({ title: 'go', sandboxed: true, beyond: ['the network'], run: async () => ({}) });
  const small = await beginWork({
    calls: [{ id: 'c1', name: 'go', arguments: '{}' }],
    tools: [{ ...tool, read }],
    mode: 'auto',
    runtime: {
      allowUnsandboxed,
      rules,
      ask: async (question) => {
        seen.push(question);
        return 'denied';
      },
    },
  });
  await runCalls(small.work);
  expect(seen).toHaveLength(questions);
});
