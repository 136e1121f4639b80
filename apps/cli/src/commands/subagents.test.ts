// Tests subagents on the command line: how `sessions` and `show` list them, and how to turn them off.

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
  stage.write('note.txt', 'the word is swordfish\n');
});

afterEach(() => stage.clear());

const tidemark = (args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> =>
  pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ...environment },
  });

const asks = calls('agent', { role: 'reader', task: 'Find the word.' }, 'I have it found.');

test('a subagent is listed under its parent, and `show` links each session to the other', async () => {
  const scenario = stage.scenario(
    { answer: asks },
    { expect: { lastUserText: 'Find the word.' }, answer: calls('read', { path: 'note.txt' }, 'I look.') },
    { answer: { text: 'It is swordfish.' } },
    { expect: { toolResult: 'It is swordfish.' }, answer: { text: 'Found.' } },
  );
  const ran = await tidemark(['find the word', '--provider', 'simulator', '--scenario', scenario]);
  expect(ran.exit).toBe(0);
  expect(ran.err).toContain('agent reader Find the word.: ok');
  expect(ran.err).toMatch(/^subagent reader: running as session \S+$/m);
  expect(ran.err).toMatch(/^completed: 2 steps, 1 tool call; .*; \$0\.\d+, \$0\.\d+ of it for 1 subagent$/m);
  const { sessions } = JSON.parse((await tidemark(['sessions', '--tree', '--json'])).out);
  const [parent, child] = sessions;
  expect([parent.depth, child.depth, child.startedBy.session, child.root]).toEqual([
    0,
    1,
    parent.session,
    parent.session,
  ]);
  expect((await tidemark(['sessions', '--tree'])).out).toContain(`subagent of ${parent.session}`);
  expect((await tidemark(['show', parent.session])).out).toMatch(
    new RegExp(`^subagent ${child.session} \\(reader\\): completed, \\$0\\.`, 'm'),
  );
  expect((await tidemark(['show', child.session])).out).toContain(
    `a subagent of ${parent.session}, started by its call `,
  );
  expect((await tidemark(['verify', parent.session])).exit).toBe(0);
  expect((await tidemark(['verify', child.session])).exit).toBe(0);
});

test('`cost` names the subagents of a session, but not in its fork', async () => {
  const scenario = stage.scenario({ answer: asks }, { answer: { text: 'Nothing.' } }, { answer: { text: 'Well.' } });
  await tidemark(['find the word', '--provider', 'simulator', '--scenario', scenario]);
  const [parent, child] = JSON.parse((await tidemark(['sessions', '--tree', '--json'])).out).sessions;
  const { out } = await tidemark(['cost', parent.session]);
  expect(out).toContain(`in the sum of the session, and in no other:\nsubagent ${child.session}`);
  // The row of the session has the number of the status line: `paid` and the costs of its subagents.
  const amount = (name: string): number => Number(new RegExp(`^${name}\t\\$([\\d.]+)`, 'm').exec(out)?.[1]);
  const { line, whole } = JSON.parse((await tidemark(['cost', parent.session, '--json'])).out);
  const { whole: delegated } = JSON.parse((await tidemark(['cost', child.session, '--json'])).out);
  expect(amount('session')).toBeCloseTo(Number(line.own.cost), 4);
  expect(amount('session')).toBeCloseTo(Number(whole.cost) + Number(delegated.cost), 4);
  expect(amount('paid')).toBeCloseTo(Number(whole.cost), 4);
  const forked = await tidemark(['fork', parent.session, '--json']);
  const fork = JSON.parse(forked.out).fork;
  await tidemark(['and now?', '--session', fork, '--provider', 'simulator']);
  const own = await tidemark(['cost', fork]);
  expect(own.out).toContain(', 1 call,');
  expect(own.out).not.toContain('subagent');
});

test('--continue continues the parent session, not a subagent that changed later', async () => {
  const scenario = stage.scenario({ answer: asks }, { answer: { text: 'Nothing.' } }, { answer: { text: 'Well.' } });
  await tidemark(['find the word', '--provider', 'simulator', '--scenario', scenario]);
  const { sessions } = JSON.parse((await tidemark(['sessions', '--tree', '--json'])).out);
  const next = await tidemark(['--continue', 'and now?', '--provider', 'simulator', '--json']);
  expect(next.out).toContain(`"session":"${sessions[0].session}"`);
});

test('TIDEMARK_SUBAGENTS=false prevents subagents', async () => {
  const scenario = stage.scenario({ answer: asks }, { answer: { text: 'Alone, then.' } });
  const args = ['find the word', '--provider', 'simulator', '--scenario', scenario];
  const ran = await tidemark(args, { TIDEMARK_SUBAGENTS: 'false' });
  expect(ran.err).toContain('agent reader Find the word.: failed');
  expect(JSON.parse((await tidemark(['sessions', '--json'])).out).sessions).toHaveLength(1);
});
