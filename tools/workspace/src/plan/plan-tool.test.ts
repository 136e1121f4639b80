import { canonicalText } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createPlanTool } from './plan-tool.ts';

const tool = createPlanTool();

test('the `plan` tool has a definition with unchanged bytes, because users have these bytes in their prompt caches', () => {
  const { name, description, schema } = tool;
  const digest = createHash('sha256').update(canonicalText({ name, description, schema })).digest('hex');
  expect(digest.slice(0, 16)).toBe('da6ed880467395fe');
});

test('the `plan` tool returns a short count, because the call itself contains the plan', async () => {
  const { call } = await openBench();
  const plan = {
    tasks: [
      { task: 'Read the file', status: 'done' },
      { task: 'Mend the tax', status: 'active' },
      { task: 'Write a test', status: 'open' },
    ],
    decisions: [{ what: 'Round half up', why: 'the law says so' }],
    risks: ['Old receipts change', 'The rate is a guess'],
  };
  expect((await call(tool, plan)).text).toBe('planned: tasks 1 active, 1 open, 1 done; 1 decision; 2 risks');
  expect((await call(tool, { questions: ['Which rate?'] })).text).toBe('planned: 1 question');
  expect((await call(tool, { closed: ['Which rate?'] })).text).toBe('planned: 1 closed');
});

test.each([
  [{}, 'The plan is empty'],
  [{ tasks: [] }, 'The plan is empty'],
  [{ tasks: [{ task: ' ', status: 'open' }] }, '`tasks[0].task` must be a string that is not blank, got " "'],
  [
    { tasks: [{ task: 'Go', status: 'finished' }] },
    '`tasks[0].status` must be one of "open", "active", "done", "dropped", got "finished"',
  ],
  [{ todo: ['Go'] }, 'The arguments are tasks, decisions, questions, risks, closed.'],
])('the `plan` tool refuses %j', async (input, words) => {
  const { call } = await openBench();
  expect(await call(tool, input)).toMatchObject({ code: 'problem', text: expect.stringContaining(words) });
});

test('the `plan` tool has no effect, so no mode asks about it and it does not block other calls', () =>
  expect([tool.effect, tool.alone, tool.touches]).toEqual(['none', undefined, undefined]));
