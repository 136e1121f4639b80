// Tests the cases that `tidemark resume` refuses, and the mode of the resumed turn. Successful resumes are tested
// together with `run`, and over several processes in `agent.int.test.ts`.

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

test('`resume` reports that the folder has no session', async () => {
  const ran = await tidemark('resume');
  expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining(`there is no session in ${stage.folder}`) });
});

test('`resume` is refused if the last turn is complete', async () => {
  expect(await tidemark('hello there')).toMatchObject({ exit: 0 });
  const ran = await tidemark('resume');
  expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringMatching(/resume/) });
});

test('`resume` with another model creates no fork if the last turn is complete', async () => {
  expect(await tidemark('hello there')).toMatchObject({ exit: 0 });
  expect(await tidemark('resume', '--model', 'claude-haiku-4-5')).toMatchObject({ exit: 3 });
  expect((await tidemark('sessions')).out).toMatch(/^1 session /);
});

test('`resume` can narrow the mode of the interrupted turn but not widen it', async () => {
  expect(await tidemark('hello there', '--max-cost', '0.000001')).toMatchObject({ exit: 1 });
  const wider = await tidemark('resume', '--mode', 'auto');
  expect(wider).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('and `resume` cannot widen') });
  const next = await tidemark('--continue', 'again', '--mode', 'auto', '--max-cost', '0.000001', '--json');
  expect(next.out).toContain('"mode":"auto"');
  const narrower = await tidemark('resume', '--read-only', '--json');
  expect(narrower).toMatchObject({ exit: 0, out: expect.stringContaining('"mode":"read-only"') });
});

test('`resume` keeps `--compaction manual` of the interrupted turn, unless the command line names another policy', async () => {
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

test('`resume` refuses an invalid session id and a session that does not exist', async () => {
  expect(await tidemark('resume', '../x')).toMatchObject({ exit: 3 });
  expect(await tidemark('resume', 'nobody')).toMatchObject({ exit: 3 });
});
