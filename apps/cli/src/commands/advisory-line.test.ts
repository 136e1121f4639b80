// Tests the line that reports a context at the advisory tier. The line is tested over several processes, as a user sees
// it at a terminal.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import { calls, openStage } from '../../tests/scenario.ts';

const MODEL = 'claude-sonnet-4-6';
/** Input limit of the model, in tokens. The advisory tier begins at 91,000 tokens, the warning tier at 104,000. */
const INPUT = 130_000;
const LONG = `read it: ${'one line of the prompt\n'.repeat(16_000)}`;

test('the advisory line is printed at the step that reaches the tier, and not again by a later step or process', async () => {
  const stage = openStage();
  onTestFinished(() => stage.clear());
  const row = {
    provider: 'anthropic',
    model: MODEL,
    inputLimit: INPUT,
    window: { tokens: INPUT, sharedWithOutput: 'no' },
  };
  mkdirSync(stage.home, { recursive: true });
  writeFileSync(join(stage.home, 'catalog.json'), JSON.stringify({ revision: 1, rows: [row] }));
  stage.write('short.txt', 'one line of the file\n'.repeat(20));
  const look = (path: string): object => ({ answer: calls('read', { path }) });
  const scenario = stage.scenario(look('short.txt'), look('short.txt'), look('short.txt'), {
    answer: { text: 'Read.' },
  });
  const tidemark = (...args: readonly string[]): Promise<Ran> =>
    pretendRun([...args, '--provider', 'simulator', '--model', MODEL, '--compaction', 'manual'], {
      folder: stage.folder,
      environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home },
    });
  const first = await tidemark(LONG, '--scenario', scenario);
  const again = await tidemark('--continue', 'and now?');
  expect([first, again].map(({ err }) => err.match(/context: .*advisory/g)?.length ?? 0)).toEqual([1, 0]);
});
