// Tests a session whose repair dropped one of its records. The session can be continued. `verify` reports the requests
// that can no longer be rebuilt. No command crashes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun(args, { folder: stage.folder, environment: { TIDEMARK_HOME: stage.home } });

async function repairedWithout(kind: string): Promise<string> {
  stage.write('note.txt', 'the word is swordfish\n');
  const script = stage.scenario({ answer: calls('read', { path: 'note.txt' }) }, { answer: { text: 'Swordfish.' } });
  const simulated = ['--provider', 'simulator', '--scenario', script];
  expect(await tidemark('find the word', ...simulated)).toMatchObject({ exit: 0 });
  const { out } = await tidemark('sessions', '--json');
  const [, session = ''] = /"session":"([^"]+)"/.exec(out) ?? [];
  const log = join(stage.home, 'sessions', session, 'log.ndjson');
  const lines = readFileSync(log, 'utf8').split('\n');
  writeFileSync(log, lines.filter((line) => !line.includes(`"kind":"${kind}"`)).join('\n'));
  expect(await tidemark('doctor', '--repair', session)).toMatchObject({
    exit: 0,
    out: expect.stringContaining('is lost'),
  });
  return `${session}-repaired`;
}

test.each(['tool.returned', 'prompt.given', 'epoch.opened'])(
  '`verify` names the requests that can no longer be rebuilt without the lost %s records',
  async (kind) => {
    const session = await repairedWithout(kind);
    const verified = await tidemark('verify', session);
    expect(verified).toMatchObject({ exit: 1, out: expect.stringMatching(/^differs/) });
    expect(await tidemark('verify', session, '--full')).toMatchObject({ exit: 1 });
    expect(await tidemark('why', session)).toMatchObject({ exit: 0 });
    expect(await tidemark('show', session)).toMatchObject({ exit: 0 });
    expect([0, 3]).toContain((await tidemark('show', session, '1')).exit);
    expect(await tidemark('run', 'go on', '--provider', 'simulator', '--session', session)).toMatchObject({ exit: 0 });
  },
);
