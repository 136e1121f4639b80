// Tests the file tools while another process repeatedly swaps a folder of the workspace for a symlink to an outside
// folder.

import type { Tool } from '@tidemark/agent';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Bench } from '../tests/bench.ts';
import { openBench } from '../tests/bench.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createLsTool } from './ls/ls-tool.ts';
import { createMemoryUpdateTool } from './memory/memory-update-tool.ts';
import { createReadTool } from './read/read-tool.ts';
import { attachInstructions } from './sources/attached-files.ts';
import { createFindTool } from './search/find-tool.ts';
import { createGrepTool } from './search/grep-tool.ts';
import { createWriteTool } from './write/write-tool.ts';

/**
 * Number of rounds. With fewer rounds, the race possibly does not happen. A wrong tool could then pass the test. Such a
 * tool looks up a path two times instead of keeping its folder open.
 */
const ROUNDS = { fast: 1_500, slow: 300, spawned: 80 };

/**
 * Upper limit of rounds. On a loaded machine, many calls in a row may run at times when the link is in place of the
 * folder. The test then continues, at most up to this limit.
 */
const MAX_ROUNDS = 100 * ROUNDS.fast;

const MAX_MORE = 20;

const SWAPPER = fileURLToPath(new URL('../tests/swap-folder.ts', import.meta.url));

interface Race extends Bench {
  /** Ends the swapping process and checks that its number of swaps is large enough. */
  stop(): Promise<void>;
}

async function openRace(name: string): Promise<Race> {
  const bench = await openBench();
  await mkdir(join(bench.folder, name));
  for (const file of ['notes.txt', 'MEMORY.md', 'AGENTS.md']) {
    await writeFile(join(bench.folder, name, file), 'plain\n');
    await writeFile(join(bench.outside, file), 'SECRET plain\n');
  }
  const child = spawn(process.execPath, [SWAPPER, join(bench.folder, name), bench.outside], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const written: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => written.push(chunk));
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill());
  await once(child.stdout, 'data');
  return {
    ...bench,
    async stop() {
      child.stdin.end();
      expect(await closed).toEqual([0, null]);
      expect(Number(/(\d+) swaps/.exec(Buffer.concat(written).toString())?.[1])).toBeGreaterThan(100);
    },
  };
}

/**
 * Returns the texts of the successful calls. If the path of a call is outside the workspace when it is checked, the
 * call is skipped. The user would have to approve such a call.
 */
async function callOften(
  bench: Bench,
  tool: Tool,
  rounds: number,
  input: (round: number) => object,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const call = await tool.read(input(round));
    if ('problem' in call || call.confined === false) continue;
    const { code, text } = await bench.run(call);
    if (code === undefined) texts.push(text);
  }
  return texts;
}

async function assertOutsideUntouched(outside: string): Promise<void> {
  expect(await readdir(outside)).toEqual(['AGENTS.md', 'MEMORY.md', 'notes.txt']);
  for (const name of ['AGENTS.md', 'MEMORY.md', 'notes.txt'])
    expect(await readFile(join(outside, name), 'utf8')).toBe('SECRET plain\n');
}

describe('while a folder is swapped for a link to the outside', () => {
  test('`write` creates no file, folder or temporary file outside', async () => {
    const race = await openRace('a');
    const tool = createWriteTool(race.confinement);
    const made = await callOften(race, tool, ROUNDS.slow, (round) => ({
      path: `a/new-${round % 3}/${round}.txt`,
      content: 'x',
    }));
    await race.stop();
    expect(made).not.toEqual([]);
    await assertOutsideUntouched(race.outside);
  });

  test('`edit` changes nothing outside', async () => {
    const race = await openRace('a');
    const edits = [
      { path: 'a/notes.txt', old_text: 'plain', new_text: 'changed' },
      { path: 'a/notes.txt', old_text: 'changed', new_text: 'plain' },
    ];
    const made = await callOften(
      race,
      createEditTool(race.confinement),
      2 * ROUNDS.slow,
      (round) => edits[round % 2] ?? {},
    );
    await race.stop();
    expect(made).not.toEqual([]);
    await assertOutsideUntouched(race.outside);
  });

  test('`memory_update` changes nothing outside and creates no lock file there', async () => {
    const race = await openRace('.tidemark');
    const tool = createMemoryUpdateTool(race.confinement);
    const made = await callOften(race, tool, ROUNDS.slow, () => ({ file: 'MEMORY.md', operation: 'add', text: 'x' }));
    await race.stop();
    expect(made).not.toEqual([]);
    await assertOutsideUntouched(race.outside);
  });

  test('`read` returns nothing from outside', async () => {
    const race = await openRace('a');
    const texts = await callOften(race, createReadTool(race.confinement), ROUNDS.fast, () => ({ path: 'a/notes.txt' }));
    await race.stop();
    expect(texts).not.toEqual([]);
    expect(texts.filter((text) => text.includes('SECRET'))).toEqual([]);
  });

  test('the error for a missing file suggests no name from outside', async () => {
    const race = await openRace('a');
    await writeFile(join(race.outside, 'OUTSIDE.txt'), '');
    const tool = createReadTool(race.confinement);
    const texts: string[] = [];
    for (let round = 0; round < ROUNDS.slow; round += 1)
      texts.push((await race.call(tool, { path: 'a/OUTSIDE.tx' })).text);
    await race.stop();
    expect(texts.filter((text) => text.includes('OUTSIDE.txt'))).toEqual([]);
  });

  test('instructions from outside are not attached', async () => {
    const race = await openRace('a');
    const texts: string[] = [];
    const isPlain = (text: string): boolean => text.endsWith('plain') && !text.includes('SECRET');
    let plain = 0;
    for (let round = 0; round < ROUNDS.fast || (plain === 0 && round < MAX_ROUNDS); round += 1) {
      const text = (await attachInstructions({ folder: join(race.folder, 'a'), project: true, own: [] }))?.text ?? '';
      texts.push(text);
      if (isPlain(text)) plain += 1;
    }
    await race.stop();
    expect(plain).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes('SECRET'))).toEqual([]);
  });

  test('`grep` shows no line from outside, and `find` shows no name from outside', async () => {
    const race = await openRace('a');
    await writeFile(join(race.outside, 'OUTSIDE.txt'), 'SECRET plain\n');
    for (const [tool, input] of [
      [createGrepTool(race.confinement), { pattern: 'plain', path: 'a' }],
      [createGrepTool(race.confinement), { pattern: 'plain' }],
      [createFindTool(race.confinement), { path: 'a' }],
      [createFindTool(race.confinement), {}],
    ] as const) {
      const isSeen = (text: string): boolean => text.includes('notes.txt');
      const texts = [...(await callOften(race, tool, ROUNDS.spawned, () => input))];
      // On a loaded machine, the link may have been in place of the folder during each of these calls. Therefore the
      // tool is called again.
      for (let more = 0; !texts.some(isSeen) && more < MAX_MORE; more += 1)
        texts.push(...(await callOften(race, tool, ROUNDS.spawned, () => input)));
      expect(texts.some(isSeen)).toBe(true);
      expect(texts.filter((text) => /SECRET|OUTSIDE/.test(text))).toEqual([]);
    }
    await race.stop();
  }, 240_000);

  test('`ls` lists nothing from outside', async () => {
    const race = await openRace('a');
    await writeFile(join(race.outside, 'OUTSIDE'), '');
    for (const input of [{ path: 'a' }, { path: '.', depth: 3 }]) {
      const texts = await callOften(race, createLsTool(race.confinement), ROUNDS.slow, () => input);
      expect(texts).not.toEqual([]);
      expect(texts.filter((text) => text.includes('OUTSIDE'))).toEqual([]);
    }
    await race.stop();
  });
});
