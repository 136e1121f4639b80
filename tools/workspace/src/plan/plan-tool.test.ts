import { canonicalText } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { createPlanTool } from './plan-tool.ts';

const tool = createPlanTool();

test('the definition has the bytes that users have cached', () => {
  const { name, description, schema } = tool;
  const digest = createHash('sha256').update(canonicalText({ name, description, schema })).digest('hex');
  expect(digest.slice(0, 16)).toBe('ba3951e35744f800');
});

test('a plan is answered in short: its words stand in the call', async () => {
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
  [{}, 'it says nothing'],
  [{ tasks: [] }, 'it says nothing'],
  [{ tasks: [{ task: ' ', status: 'open' }] }, 'tasks.0.task'],
  [{ tasks: [{ task: 'Go', status: 'finished' }] }, 'tasks.0.status'],
  [{ todo: ['Go'] }, 'It takes tasks, decisions, questions, risks, closed.'],
])('%j is no plan', async (input, words) => {
  const { call } = await openBench();
  expect(await call(tool, input)).toMatchObject({ code: 'problem', text: expect.stringContaining(words) });
});

test('changes nothing, so that it is asked about in no mode and holds nothing up', () =>
  expect([tool.effect, tool.alone, tool.touches]).toEqual(['none', undefined, undefined]));
