// `--pruning`, `TIDEMARK_COMPACTION_PRUNING` and the setting `compaction.pruning`: whether results that were superseded are shortened.

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Choices } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

const SIMULATED = ['--provider', 'simulator'] as const;

/** Reads one long file eight times, then takes another model in the session: everything is written again. */
async function causesOf(args: readonly string[], environment: Choices['environment'] = {}): Promise<readonly string[]> {
  const tidemark = (...said: readonly string[]): Promise<unknown> =>
    pretendRun([...said, ...args], {
      folder: stage.folder,
      environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ...environment },
    });
  stage.write('long.txt', 'words of a long file\n'.repeat(400));
  const reads = Array.from({ length: 8 }, () => ({ answer: calls('read', { path: 'long.txt' }) }));
  const scenario = stage.scenario(...reads, { answer: { text: 'Read.' } });
  await tidemark('read it', ...SIMULATED, '--scenario', scenario);
  await tidemark('--continue', 'and you?', ...SIMULATED, '--model', 'claude-opus-5-5', '--in-place');
  const store = openNdjsonStore({ home: stage.home });
  const { sessions } = await store.sessions();
  const records = await Array.fromAsync(store.read(sessions[0]?.session ?? expect.unreachable()));
  return records.flatMap((one) => (one.kind === 'history.pruned' ? [one.data.cause] : []));
}

test('shortens what was read again, with an epoch that opens anyway, by default and with --pruning auto', async () => {
  expect(await causesOf([])).toEqual(['together']);
  stage.clear();
  stage = openStage();
  expect(await causesOf(['--pruning', 'auto'], { TIDEMARK_COMPACTION_PRUNING: 'never' })).toEqual(['together']);
});

test('shortens nothing with --pruning never', async () => {
  expect(await causesOf(['--pruning', 'never'])).toEqual([]);
});

test('shortens nothing where TIDEMARK_COMPACTION_PRUNING is never', async () => {
  expect(await causesOf([], { TIDEMARK_COMPACTION_PRUNING: 'never' })).toEqual([]);
});

test('shortens nothing where the configuration says never, and config names the place', async () => {
  const named = `${stage.folder}/named.json`;
  stage.write('named.json', '{ "compaction": { "pruning": "never" } }');
  expect(await causesOf(['--config', named])).toEqual([]);
  const { out } = await pretendRun(['config', '--config', named], {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
  });
  expect(out).toContain(`pruning\tnever\tuser: ${named}:1\n`);
});

test('is refused where it is neither', async () => {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  const refused = await pretendRun(['hi there', ...SIMULATED, '--pruning', 'some'], {
    folder: stage.folder,
    environment,
  });
  expect(refused).toMatchObject({ exit: 2 });
});
