// `tidemark resume`: what it refuses, and in which mode it goes on. That it goes on is shown beside `run`, and over processes in `agent.int.test.ts`.

import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

const tidemark = (...args: readonly string[]): Promise<Ran> =>
  pretendRun(args[0] === 'sessions' ? args : [...args, '--provider', 'simulator'], {
    folder: stage.folder,
    environment: { TIDEMARK_HOME: stage.home },
  });

test('says so where the folder has no session', async () => {
  const ran = await tidemark('resume');
  expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining(`there is no session of ${stage.folder}`) });
});

test('says so where nothing was cut, and leaves the session as it is', async () => {
  expect(await tidemark('hello there')).toMatchObject({ exit: 0 });
  const ran = await tidemark('resume');
  expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringMatching(/resume/) });
});

test('begins no fork for another model where nothing was cut', async () => {
  expect(await tidemark('hello there')).toMatchObject({ exit: 0 });
  expect(await tidemark('resume', '--model', 'claude-haiku-4-5')).toMatchObject({ exit: 3 });
  expect((await tidemark('sessions')).out).toMatch(/^1 session /);
});

test('may narrow the mode of the turn that was cut, and not widen it', async () => {
  expect(await tidemark('hello there', '--max-cost', '0.000001')).toMatchObject({ exit: 1 });
  const wider = await tidemark('resume', '--mode', 'auto');
  expect(wider).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('which `resume` may narrow and not') });
  const next = await tidemark('--continue', 'again', '--mode', 'auto', '--max-cost', '0.000001', '--json');
  expect(next.out).toContain('"mode":"auto"');
  const narrower = await tidemark('resume', '--read-only', '--json');
  expect(narrower).toMatchObject({ exit: 0, out: expect.stringContaining('"mode":"read-only"') });
});

test('keeps `--compaction manual` of the turn that was cut, unless another policy is typed', async () => {
  const message = 'prompt is too long: 250000 tokens > 200000 maximum';
  const tooLong = stage.scenario({ fault: { kind: 'refused', message } }, { answer: { text: 'Done.' } });
  expect(await tidemark('hello there', '--compaction', 'manual', '--max-cost', '0.000001')).toMatchObject({ exit: 1 });
  const kept = await tidemark('resume', '--scenario', tooLong);
  expect(kept).toMatchObject({ exit: 5, err: expect.stringContaining('tidemark compact') });
  expect(kept.err).not.toContain('overflow_recovery');
  expect((await tidemark('resume', '--scenario', tooLong, '--compaction', 'preflight')).err).toContain(
    'overflow_recovery',
  );
});

test('refuses what is no session, and one that is not there', async () => {
  expect(await tidemark('resume', '../x')).toMatchObject({ exit: 2 });
  expect(await tidemark('resume', 'nobody')).toMatchObject({ exit: 3 });
});
