// Tests whole sessions with special names for tools, models and files, such as `constructor`. Every JavaScript object
// inherits a property with such a name.

import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Ran } from '../tests/pretend-run.ts';
import { pretendRun } from '../tests/pretend-run.ts';
import type { Stage } from '../tests/scenario.ts';
import { calls, openStage } from '../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

function tidemark(...args: readonly string[]): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  return pretendRun(args, { folder: stage.folder, environment });
}

const NAMES = ['constructor', 'toString', '__proto__', 'hasOwnProperty'] as const;

test.each(NAMES)(
  'a session in which the model calls an unknown tool %s can be continued, reported and exported',
  async (name) => {
    const scenario = stage.scenario({ answer: calls(name, { path: 'a' }) }, { answer: { text: 'Done.' } });
    const ran = await tidemark('try it', '--provider', 'simulator', '--scenario', scenario);
    expect(ran).toMatchObject({ exit: 0, out: 'Done.\n' });
    expect(ran.err).toContain(name);
    const [, session = ''] = /^session (\S+);/m.exec(ran.err) ?? [];
    for (const command of ['cost', 'cache', 'why', 'show', 'export', 'verify'])
      expect(await tidemark(command, session), command).toMatchObject({ exit: 0 });
  },
);

test.each(NAMES)('a file named %s can be read and written', async (name) => {
  stage.write(name, 'swordfish\n');
  const scenario = stage.scenario(
    { answer: calls('read', { path: name }) },
    { expect: { toolResult: 'swordfish' }, answer: calls('write', { path: name, text: 'trout\n' }) },
    { answer: { text: 'Done.' } },
  );
  const ran = await tidemark('try it', '--mode', 'auto', '--provider', 'simulator', '--scenario', scenario);
  expect(ran).toMatchObject({ exit: 0, out: 'Done.\n' });
});

test.each(NAMES)('an option or argument %s is never reported as a bug', async (name) => {
  for (const option of ['--model', '--provider', '--mode', '--ttl', '--reasoning'])
    expect((await tidemark('try it', option, name)).exit, option).not.toBe(70);
  for (const command of ['show', 'why', 'cost', 'export', 'skills', 'grants', 'keys'])
    expect((await tidemark(command, name)).exit, command).not.toBe(70);
});
