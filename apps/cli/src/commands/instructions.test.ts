// Tests instruction files on the command line: attached from the first request of a trusted folder, read by the model
// otherwise, and unchanged in a session that began without them.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
  onTestFinished(() => stage.clear());
});

function place(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const answer = { answer: { text: 'Done.' } };

function tidemark(args: readonly string[], more: Choices = {}): Promise<Ran> {
  const environment = {
    PATH: process.env['PATH'],
    TIDEMARK_HOME: stage.home,
    XDG_CONFIG_HOME: join(stage.home, '..', 'config'),
  };
  return pretendRun(args, { folder: stage.folder, environment, ...more });
}

const prompt = (...args: readonly string[]): Promise<Ran> =>
  tidemark(['run', '--provider', 'simulator', '--scenario', stage.scenario(answer), ...args]);

interface Note {
  readonly source: string;
  readonly cause: string;
  readonly body: string;
}

function records(): readonly { readonly kind: string; readonly data: Note }[] {
  const [session = ''] = readdirSync(join(stage.home, 'sessions'));
  return readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

const notes = (): readonly (readonly [string, string])[] =>
  records()
    .filter(({ kind, data }) => kind === 'context.noted' && data.source === 'instructions')
    .map(({ data }) => [data.cause, data.body]);

test('a trusted folder attaches AGENTS.md from the first request, and again only when it changed', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  await tidemark(['trust', '--yes']);
  const first = await prompt('hello there');
  expect(first.exit).toBe(0);
  expect(notes()).toEqual([['initial', expect.stringMatching(/# "AGENTS.md" \(of the workspace\)\n\nUse tabs\.$/)]]);
  await prompt('--continue', 'hello again');
  expect(notes()).toHaveLength(1);
  stage.write('AGENTS.md', 'Use spaces.');
  const changed = await prompt('--continue', 'once more');
  expect(changed.err).not.toContain('not used');
  expect(notes().slice(1)).toEqual([['changed', expect.stringContaining('Use spaces.')]]);
  expect(records().filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
});

test('an untrusted folder attaches nothing without a notice, and the own file of the user is attached', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  place(join(stage.home, '..', 'config/tidemark/AGENTS.md'), 'Be brief.');
  const { err, exit } = await prompt('hello there');
  expect([exit, err]).toEqual([0, expect.not.stringContaining('not used')]);
  expect(notes()).toEqual([['initial', expect.stringContaining('(of the user)\n\nBe brief.')]]);
  expect(JSON.stringify(notes())).not.toContain('Use tabs.');
});

test('a session that began without attached files keeps its way', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  await prompt('hello there');
  await tidemark(['trust', '--yes']);
  await prompt('--continue', 'hello again');
  expect(notes()).toEqual([]);
});

test('the setting `discover` attaches nothing, also nothing of the user', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  place(join(stage.home, '..', 'config/tidemark/AGENTS.md'), 'Be brief.');
  place(join(stage.home, '..', 'config/tidemark/tidemark.config.json'), '{"agentsFile":"discover"}');
  await prompt('--trust', 'hello there');
  expect(notes()).toEqual([]);
});

test('a person is asked once about a folder with only AGENTS.md, and a change of the file does not ask again', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  const seen: string[] = [];
  const person = (question: string): string => (seen.push(question), 'y');
  const run = (): Promise<Ran> =>
    tidemark(['run', '--provider', 'simulator', '--scenario', stage.scenario(answer), 'hello there'], { person });
  await run();
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('instructions in AGENTS.md, which are added to each new session');
  stage.write('AGENTS.md', 'Use spaces.');
  await run();
  expect(seen).toHaveLength(1);
});

test('a change of AGENTS.md by the agent itself is noted in the session', async () => {
  stage.write('AGENTS.md', 'Use tabs.');
  await tidemark(['trust', '--yes']);
  const scenario = stage.scenario(
    { answer: calls('read', { path: 'AGENTS.md' }) },
    { answer: calls('write', { path: 'AGENTS.md', content: 'Use spaces.\n' }) },
    answer,
  );
  const { err } = await tidemark(
    ['run', '--provider', 'simulator', '--scenario', scenario, '--mode', 'auto', 'change it'],
    { person: () => 'y' },
  );
  expect(err).toContain('completed');
  await prompt('--continue', 'hello again');
  expect(notes().map(([cause]) => cause)).toEqual(['initial', 'changed']);
});
