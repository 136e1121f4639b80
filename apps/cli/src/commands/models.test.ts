// Tests `--model` on the command line. It tests how a name is resolved. For an unknown name, no request is sent, and no
// session or fork is created.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], keys: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ...keys };
  return pretendRun(args, { folder: stage.folder, environment });
}

function sessions(): readonly string[] {
  const folder = join(stage.home, 'sessions');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('`--model sonnet` asks the newest Sonnet', async () => {
  const ran = await tidemark(['hi there', '--json', '--provider', 'simulator', '--model', 'sonnet']);
  expect(ran.exit).toBe(0);
  expect(ran.out).toContain('"model":"claude-sonnet-5-5"');
});

test('an unknown GPT model with only an OpenAI key is reported as an unknown model, not as a missing Anthropic key', async () => {
  const ran = await tidemark(['hi there', '--model', 'gpt-7'], { OPENAI_API_KEY: 'key-of-openai-22' });
  expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringContaining('the catalog has no model "gpt-7"') });
  expect(ran.err).not.toContain('Anthropic');
  expect(sessions()).toEqual([]);
});

test.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-sonnet-4-5@20250929'],
  ['gemini-3.8-flash'],
  ['claude-sonet-5'],
])('%s sends no request and creates no session', async (model) => {
  const simulator = createSimulator();
  const listening = await simulator.listen();
  const reach = ['--base-url', listening.url];
  const ran = await tidemark(['hi there', '--model', model, ...reach], { ANTHROPIC_API_KEY: 'no-real-key-at-all' });
  await listening.close();
  expect(ran).toMatchObject({ exit: 3, out: '' });
  expect(ran.err).toMatch(/^error: .+\nnext: (?!fix the named).+\n$/);
  expect(simulator.calls).toEqual([]);
  expect(sessions()).toEqual([]);
});

test.each([['claude-sonet-5'], ['claude-sonnet-5-6'], ['gpt-7'], ['opuss']])(
  'a mistyped model creates no fork: %s',
  async (model) => {
    await tidemark(['hello there', '--provider', 'simulator']);
    expect(sessions()).toHaveLength(1);
    const ran = await tidemark(['and you?', '--continue', '--provider', 'simulator', '--model', model]);
    expect(ran).toMatchObject({ exit: 3, out: '', err: expect.stringContaining(`no model "${model}"`) });
    expect(sessions()).toHaveLength(1);
  },
);

test("`smoke` refuses a cloud's model name too", async () => {
  const ran = await tidemark([
    'smoke',
    '--provider',
    'anthropic',
    '--model',
    'anthropic.claude-haiku-4-5-20251001-v1:0',
  ]);
  expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining('Amazon Bedrock') });
});
