// Tests `--pruning`, `TIDEMARK_COMPACTION_PRUNING` and the setting `compaction.pruning`. They decide if superseded
// results are shortened.

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

/**
 * Reads one long file eight times, then switches the model in the session. After the switch, everything is written to
 * the cache again. Returns the causes of the prunings.
 */
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

test('superseded results are shortened with the next epoch by default, and with `--pruning auto`', async () => {
  expect(await causesOf([])).toEqual(['together']);
  stage.clear();
  stage = openStage();
  expect(await causesOf(['--pruning', 'auto'], { TIDEMARK_COMPACTION_PRUNING: 'never' })).toEqual(['together']);
});

test('`--pruning never` shortens nothing', async () => {
  expect(await causesOf(['--pruning', 'never'])).toEqual([]);
});

test('`TIDEMARK_COMPACTION_PRUNING=never` shortens nothing', async () => {
  expect(await causesOf([], { TIDEMARK_COMPACTION_PRUNING: 'never' })).toEqual([]);
});

test('the setting `pruning: never` shortens nothing, and `config` names its file', async () => {
  const named = `${stage.folder}/named.json`;
  stage.write('named.json', '{ "compaction": { "pruning": "never" } }');
  expect(await causesOf(['--config', named])).toEqual([]);
  const { out } = await pretendRun(['config', '--config', named], {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
  });
  expect(out).toContain(`pruning\tnever\tuser: ${named}:1\n`);
});

test('`--pruning` refuses any other value', async () => {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home };
  const refused = await pretendRun(['hi there', ...SIMULATED, '--pruning', 'some'], {
    folder: stage.folder,
    environment,
  });
  expect(refused).toMatchObject({ exit: 2 });
});
