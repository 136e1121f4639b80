// Tests `--compaction-by` and its setting. They choose who writes the checkpoint in an automatic compaction.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const MODEL = 'claude-sonnet-4-6';
const WINDOW = 50_000;
const STEPS = Array.from({ length: 30 }, (_, index) => ({
  answer: calls('read', { path: 'long.txt', offset: index * 400 + 1, limit: 400 }),
}));
const DONE = { expect: { toolResult: 'line 11' }, answer: { text: 'All of it is read.' } };
const CHECKPOINT = {
  decisions: [{ what: 'Read in order', status: 'settled' }],
  work: [],
  tasks: [],
  questions: [],
  risks: [],
  limitations: [],
};

let stage: Stage;

beforeEach(() => {
  stage = openStage();
  onTestFinished(() => stage.clear());
  const window = { tokens: WINDOW, sharedWithOutput: 'no' };
  const row = { provider: 'anthropic', model: MODEL, inputLimit: WINDOW, window };
  mkdirSync(stage.home, { recursive: true });
  writeFileSync(join(stage.home, 'catalog.json'), JSON.stringify({ revision: 1, rows: [row] }));
  const lines = Array.from({ length: 12_000 }, (_, index) => `line ${index} of a long file about nothing`);
  stage.write('long.txt', lines.join('\n'));
});

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun([...args, '--provider', 'simulator', '--model', MODEL, '--pruning', 'never', '--compaction', 'auto'], {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
  });

async function played(
  scenario: string,
  ...flags: readonly string[]
): Promise<{ readonly writers: readonly unknown[]; readonly asked: number }> {
  expect(await tidemark('Read it.', '--scenario', scenario, ...flags)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('All of it is read.'),
  });
  const [session = ''] = readdirSync(join(stage.home, 'sessions'));
  const log = readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8');
  const records = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const compacted = records.filter(({ kind }) => kind === 'history.compacted');
  return {
    writers: [...new Set(compacted.map(({ data }) => data.strategy))],
    asked: records.filter(({ kind, data }) => kind === 'request.prepared' && data.purpose === 'compaction').length,
  };
}

/** Returns a flag for settings in which no model writes checkpoints. */
function configured(): readonly string[] {
  const path = join(stage.home, 'settings.json');
  writeFileSync(path, JSON.stringify({ compaction: { by: 'deterministic' } }));
  return ['--config', path];
}

function withCheckpoint(): string {
  const path = join(stage.folder, '..', 'with-checkpoint.json');
  const scenario = { steps: [...STEPS, DONE], checkpoint: { text: JSON.stringify(CHECKPOINT) } };
  writeFileSync(path, JSON.stringify(scenario));
  return path;
}

test('by default, a model that has the history in its cache writes the checkpoint', async () => {
  const { writers, asked } = await played(withCheckpoint());
  expect([writers, asked > 0]).toEqual([['model-assisted'], true]);
});

test('a scenario without a checkpoint loses no step, and the checkpoint is written without the model', async () => {
  const { writers, asked } = await played(stage.scenario(...STEPS, DONE));
  expect([writers, asked > 0]).toEqual([['deterministic'], true]);
});

test('`--compaction-by deterministic` asks no model', async () => {
  expect(await played(withCheckpoint(), '--compaction-by', 'deterministic')).toEqual({
    writers: ['deterministic'],
    asked: 0,
  });
});

test('`compaction.by` of the configuration takes effect', async () => {
  expect(await played(withCheckpoint(), ...configured())).toEqual({ writers: ['deterministic'], asked: 0 });
});

test('the flag overrides the setting', async () => {
  expect(await played(withCheckpoint(), ...configured(), '--compaction-by', 'auto')).toMatchObject({
    writers: ['model-assisted'],
  });
});

test('another value is refused, and the error lists the known values', async () => {
  expect(await tidemark('Read it.', '--compaction-by', 'me')).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/--compaction-by.*auto, deterministic, model/s),
  });
});
