// Tests that new sessions have the tool `plan` by default, and that it joins an existing session without an epoch.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

interface Logged {
  readonly session: string;
  readonly epochs: number;
  readonly plan: boolean;
  readonly changes: number;
}

async function tidemark(...args: readonly string[]): Promise<Logged> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: `${stage.home}-own` };
  const given = ['hello there', '--provider', 'simulator', ...args];
  const ran = await pretendRun(given, { folder: stage.folder, environment });
  const session = /session ([\w-]+)/.exec(ran.err)?.[1] ?? '';
  const log = readFileSync(join(stage.home, 'sessions', session, 'log.ndjson'), 'utf8');
  const count = (text: string): number => log.split(text).length - 1;
  return {
    session,
    epochs: count('"kind":"epoch.opened"'),
    plan: log.includes('"name":"plan"'),
    changes: count('"kind":"tools.changed"'),
  };
}

function set(settings: object): void {
  const file = join(`${stage.home}-own`, 'tidemark', 'tidemark.config.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
}

test('a new session has the tool `plan`, unless the settings turn it off', async () => {
  expect(await tidemark()).toMatchObject({ plan: true, epochs: 1 });
  set({ plan: false });
  expect(await tidemark()).toMatchObject({ plan: false, epochs: 1 });
});

test('`plan` joins a session that was created without it as an appended tool', async () => {
  set({ plan: false });
  const begun = await tidemark();
  set({});
  expect(await tidemark('--continue')).toEqual({ ...begun, plan: true, epochs: 1, changes: 1 });
  expect(await tidemark('--continue')).toEqual({ ...begun, plan: true, epochs: 1, changes: 1 });
});

test('`plan` waits for the next epoch of a session whose model accepts no appended tools', async () => {
  const model = ['--model', 'claude-sonnet-4-5'];
  set({ plan: false });
  const begun = await tidemark(...model);
  set({});
  expect(await tidemark('--continue')).toEqual({ ...begun, plan: true, epochs: 1, changes: 1 });
  expect(await tidemark('--continue')).toEqual({ ...begun, plan: true, epochs: 1, changes: 1 });
});

test('a session that was created with `plan` keeps its tools if the settings do not mention `plan`', async () => {
  set({ plan: true });
  const begun = await tidemark();
  set({});
  expect(await tidemark('--continue')).toEqual({ ...begun, plan: true, epochs: 1, changes: 0 });
});

test('settings that mention `plan` change the tools of an existing session', async () => {
  set({ plan: false });
  const begun = await tidemark();
  set({ plan: true });
  expect(await tidemark('--continue')).toMatchObject({ session: begun.session, plan: true, changes: 1 });
  set({});
  expect(await tidemark('--continue')).toMatchObject({ plan: true, epochs: 1, changes: 1 });
});

test('a session whose first turn sent no request gets `plan` by default', async () => {
  set({ plan: false });
  const begun = await tidemark('--max-cost', '0.000001');
  expect(begun).toMatchObject({ plan: false, epochs: 0 });
  set({});
  expect(await tidemark('--continue')).toMatchObject({ session: begun.session, plan: true, epochs: 1 });
});
