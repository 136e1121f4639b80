import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSecrets } from '@tidemark/agent';
import { expect, onTestFinished, test } from 'vitest';

import type { PromptHistory } from './prompt-history.ts';
import { openPromptHistory } from './prompt-history.ts';

const keep = async (text: string): Promise<string> => text;

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-history-'));
  onTestFinished(() => rm(home, { recursive: true }));
  return home;
}

test('the history returns the prompts of an earlier process, each once in a row', async () => {
  const home = join(await newHome(), 'new');
  const first = openPromptHistory({ home, mask: keep });
  expect(await first.read()).toEqual([]);
  for (const prompt of ['one', 'two\nlines', 'two\nlines', '  ']) await first.add(prompt);
  expect(await openPromptHistory({ home, mask: keep }).read()).toEqual(['one', 'two\nlines']);
  expect((await stat(join(home, 'prompts.jsonl'))).mode & 0o777).toBe(0o600);
});

test('a secret is masked before the prompt is written', async () => {
  const home = await newHome();
  const secrets = createSecrets({ values: [{ name: 'API_KEY', value: 'correct-horse-battery' }] });
  await openPromptHistory({ home, mask: secrets.mask }).add('use correct-horse-battery');
  const text = await readFile(join(home, 'prompts.jsonl'), 'utf8');
  expect(text).not.toContain('correct-horse-battery');
  expect(text).toContain('use ');
});

test('an incomplete line of a killed process is skipped, and the next prompt has its own line', async () => {
  const home = await newHome();
  await writeFile(join(home, 'prompts.jsonl'), '"one"\n"tw');
  const history = openPromptHistory({ home, mask: keep });
  await history.add('three');
  expect(await history.read()).toEqual(['one', 'three']);
});

test('two histories in one home lose no prompt, also while the file is renamed', async () => {
  const home = await newHome();
  const both = [openPromptHistory({ home, mask: keep }), openPromptHistory({ home, mask: keep })];
  await appendFile(join(home, 'prompts.jsonl'), `${JSON.stringify('x'.repeat(60_000))}\n`.repeat(35));
  const addAll = async (history: PromptHistory, name: string): Promise<void> => {
    for (let number = 0; number < 30; number += 1) await history.add(`${name} ${number} ${'y'.repeat(1_000)}`);
  };
  await Promise.all(both.map((history, index) => addAll(history, `process ${index}`)));
  const prompts = (await openPromptHistory({ home, mask: keep }).read()).filter((prompt) =>
    prompt.startsWith('process'),
  );
  expect(new Set(prompts.map((prompt) => prompt.slice(0, 12))).size).toBe(60);
  expect((await stat(join(home, 'prompts.jsonl'))).size).toBeLessThan(200_000);
});

test('a prompt of 64 KiB is kept whole, and a longer one is left out', async () => {
  const home = await newHome();
  const history = openPromptHistory({ home, mask: keep });
  const longest = 'x'.repeat(64 * 1024);
  for (const prompt of [longest, `${longest}y`, 'short']) await history.add(prompt);
  expect(await history.read()).toEqual([longest, 'short']);
});
