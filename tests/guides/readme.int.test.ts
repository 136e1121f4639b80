// Tests that README.md shows what the demo prints, and that its program runs.

import { join } from 'node:path';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createSimulator, parseScenario } from '@tidemark/simulator';
import { expect, onTestFinished, test } from 'vitest';
import { readPage } from './documents.ts';
import { firstMissing } from './printed-as-shown.ts';
import { blocksIn } from './read-blocks.ts';
import { SNIPPETS, runProgram } from './run-snippet.ts';
import { ROOT, runTidemark } from './run-tidemark.ts';

test('README.md shows the output of the demo', async () => {
  const shown = blocksIn(await readPage(ROOT, 'README.md')).find((block) => block.language === 'text');
  const home = await mkdtemp(join(tmpdir(), 'tidemark-readme-'));
  try {
    const { exit, out, err } = await runTidemark(['demo'], home);
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    const printed = inAnyOrder(out.split('\n')).join('\n');
    // The URL is removed from the message, because vitest would show it as a location in a file.
    const text = `printed:\n${out.replace(/http:\S+/, '')}`;
    expect(firstMissing(inAnyOrder(shown?.lines ?? ['a block of text']), printed), text).toBeUndefined();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test('README.md shows first-agent.ts whole', async () => {
  const shown = blocksIn(await readPage(ROOT, 'README.md')).find((block) => block.language === 'ts first-agent.ts');
  expect(`${shown?.lines.join('\n')}\n`).toBe(await readFile(join(ROOT, SNIPPETS, 'first-agent.ts'), 'utf8'));
});

test('first-agent.ts calls its tool and prints the answer', async () => {
  const { url, folder } = await playModel({
    steps: [
      {
        expect: { lastUserText: 'How many lamps' },
        answer: { calls: [{ name: 'count_stock', arguments: { article: 'lamp' } }] },
      },
      { expect: { toolResult: '"pieces":12' }, answer: { text: 'There are 12 lamps in stock.' } },
    ],
  });
  const program = await readFile(join(ROOT, SNIPPETS, 'first-agent.ts'), 'utf8');
  const path = join(folder, 'first-agent.ts');
  await writeFile(path, program.replace('createAgent({ ', `createAgent({ baseURL: '${url}', `));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const ended = await runProgram(path, [], { folder, url });
  expect(ended).toEqual({ exit: 0, signal: null, out: 'There are 12 lamps in stock.\n', err: '' });
});

async function playModel(scenario: unknown): Promise<{ readonly url: string; readonly folder: string }> {
  const listening = await createSimulator({ scenario: parseScenario(scenario) }).listen();
  onTestFinished(() => listening.close());
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-readme-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { url: listening.url, folder };
}

const CALL = /^ {2}\w/;

/**
 * Sorts each run of adjacent lines about tool calls. Calls with the effect `read` run concurrently, so the order of
 * their lines varies.
 */
function inAnyOrder(lines: readonly string[]): readonly string[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && CALL.test(line) && CALL.test(run[0] ?? '')) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => run.toSorted());
}
