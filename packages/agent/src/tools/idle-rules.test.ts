// Tests a rule that matches no tool of the session. It raises a notice with the name that was probably meant.

import { expect, test } from 'vitest';
import { answering, goLive, says } from '../../tests/small-live.ts';
import { made } from '../../tests/small-work.ts';
import type { Tool } from '../ports/tool.ts';
import type { Notice } from '../ports/session-event.ts';
import type { ReadRule } from '../rules/rule.ts';

const read = made('files__read_file', () => ({ text: 'read' }));
const look = made('look', () => ({ text: 'seen' }));

async function noticesFor(...rules: readonly ReadRule[]): Promise<readonly Notice[]> {
  return noticesWith([read, look], rules);
}

async function noticesWith(tools: readonly Tool[], rules: readonly ReadRule[]): Promise<readonly Notice[]> {
  const provider = answering(says('one'), says('two'));
  const { live } = await goLive({ provider, runtime: { tools, rules } });
  const notices: Notice[] = [];
  for (const words of ['go', 'again'])
    for await (const event of live.prompt(words)) if (event.type === 'notice.raised') notices.push(event.notice);
  return notices;
}

test.each([
  ['a misspelled tool of a server', 'files__raed_file', 'Did you mean files__read_file? Correct the rule.'],
  ['a server with another name', 'file__*', 'Did you mean files__*? Correct the rule.'],
  ['a pattern with a misspelled name', 'lok*', 'Did you mean look? Correct the rule.'],
  ['an unknown tool of a known server', 'files__remove', 'Use one of files__read_file.'],
])('a rule about %s raises one notice per session', async (_, tool, next) => {
  expect(await noticesFor({ decision: 'deny', tool })).toEqual([
    {
      code: 'permissions/idle-rule',
      message: `the rule "deny ${tool}" has no effect: no tool of this session has this name`,
      next,
    },
  ]);
});

test.each(['look', 'files__*', 'github__*', 'f*'])('a rule about `%s` raises no notice', async (tool) => {
  expect(await noticesFor({ decision: 'deny', tool })).toEqual([]);
});

test('a rule about a server raises no notice if a tool forwards calls to tools that are not listed', async () => {
  const call: Tool = { ...made('tool_call', () => ({ text: 'called' })), forward: (input) => ({ tool: look, input }) };
  const tools = [read, look, call];
  expect(await noticesWith(tools, [{ decision: 'deny', tool: 'files__remove' }])).toEqual([]);
  expect(await noticesWith(tools, [{ decision: 'deny', tool: 'lok*' }])).toHaveLength(1);
});
