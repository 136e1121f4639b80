// Tests `--effort` and the setting `effort` against the simulator: the values, the requests, the log, and the price of a
// change.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
  onTestFinished(() => stage.clear());
});

function tidemark(...args: readonly string[]): Promise<Ran> {
  const environment = {
    PATH: process.env['PATH'],
    TIDEMARK_HOME: stage.home,
    XDG_CONFIG_HOME: join(stage.home, '..', 'config'),
  };
  return pretendRun([...args, '--provider', 'simulator'], { folder: stage.folder, environment });
}

interface LoggedRecord {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function records(...kinds: readonly string[]): readonly LoggedRecord[] {
  const [session = ''] = readdirSync(join(stage.home, 'sessions'));
  const log = readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8');
  const all: readonly LoggedRecord[] = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return all.filter(({ kind }) => kinds.includes(kind));
}

function chosenSession(): string {
  return readdirSync(join(stage.home, 'sessions'))[0] ?? '';
}

const CHANGES = ['epoch.opened', 'reasoning.set', 'reasoning.changed'];

test.each([
  ['claude-sonnet-5-5', 'effort'],
  ['gpt-6.1-sol', 'reasoning.effort'],
])('%s: a change of the effort is appended, and the session keeps it', async (model, parameter) => {
  expect(await tidemark('hello there', '--model', model, '--effort', 'low')).toMatchObject({ exit: 0 });
  expect(await tidemark('and now?', '--continue', '--effort', 'high')).toMatchObject({ exit: 0 });
  expect(await tidemark('and then?', '--continue')).toMatchObject({ exit: 0 });
  expect(await tidemark('the same?', '--continue', '--effort', 'high')).toMatchObject({ exit: 0 });
  expect(records(...CHANGES).map(({ kind, data }) => [kind, data['parameters'] ?? data['setting']])).toEqual([
    ['reasoning.set', { [parameter]: 'low' }],
    ['epoch.opened', expect.objectContaining({ [parameter]: 'low' })],
    ['reasoning.set', { [parameter]: 'high' }],
    ['reasoning.changed', 'high'],
  ]);
  expect(await tidemarkVerify()).toMatchObject({ exit: 0 });
});

async function tidemarkVerify(): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  return pretendRun(['verify', chosenSession(), '--full'], { folder: stage.folder, environment });
}

test.each([['claude-sonnet-5'], ['gpt-5.4']])(
  '%s: a change of the effort opens an epoch, and its price is reported before the request',
  async (model) => {
    stage.write('long.txt', 'a line of a long file\n'.repeat(4_000));
    expect(await tidemark('read @long.txt and wait', '--model', model)).toMatchObject({ exit: 0 });
    const changed = await tidemark('and now?', '--continue', '--effort', 'low');
    expect(changed).toMatchObject({
      exit: 0,
      err: expect.stringMatching(
        /^notice: .*the reasoning setting changed: [\d,]+ tokens are written again, \$0\.\d+/m,
      ),
    });
    const epochs = records('epoch.opened').map(({ data }) => data['cause']);
    expect(epochs).toEqual(['initial', 'reasoning']);
    expect(await tidemarkVerify()).toMatchObject({ exit: 0 });
  },
);

test.each([
  ['claude-sonnet-5-5', 'huge', 'does not have the effort "huge"', 'use one of low, medium, high, xhigh, max'],
  ['gpt-5.1', 'max', 'does not have the effort "max"', 'use one of none, low, medium, high'],
  ['gpt-4.1', 'low', 'gpt-4.1 has no reasoning effort', 'remove `--effort`'],
])('%s refuses the effort %s before a session is created', async (model, effort, message, next) => {
  const ran = await tidemark('hello there', '--model', model, '--effort', effort);
  expect(ran).toMatchObject({ exit: 2, err: expect.stringContaining(message) });
  expect(ran.err).toContain(`next: ${next}`);
  expect(existsSync(join(stage.home, 'sessions'))).toBe(false);
});

test('the setting `effort` applies to a new session, and a model that does not have it reports this', async () => {
  const folder = join(stage.home, '..', 'config', 'tidemark');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tidemark.config.json'), JSON.stringify({ effort: 'low' }));
  expect(await tidemark('hello there', '--model', 'claude-sonnet-5-5')).toMatchObject({ exit: 0 });
  expect(records('reasoning.set').map(({ data }) => data)).toEqual([{ parameters: { effort: 'low' } }]);
  writeFileSync(join(folder, 'tidemark.config.json'), JSON.stringify({ effort: 'high' }));
  await tidemark('and now?', '--continue');
  expect(records('reasoning.set')).toHaveLength(1);
  expect(await tidemark('hello there', '--model', 'gpt-4.1')).toMatchObject({
    exit: 0,
    err: expect.stringContaining('the setting effort is not used, because gpt-4.1 has no reasoning effort'),
  });
});
