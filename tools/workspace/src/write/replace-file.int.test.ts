import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { whileHeld } from './lock-file.ts';
import { processMark, processState } from './process-mark.ts';
import { temporaryName } from './replace-file.ts';
import { createWriteTool } from './write-tool.ts';

const KILLS = 8;

const MAX_LOOKS = 1_000_000;

const WRITER = fileURLToPath(new URL('../../tests/write-until-killed.ts', import.meta.url));

const [PID, START, HOST] = processMark().split('-');

const noMarks = HOST === '00000000';

/**
 * Marks of two other processes with the same process id. One is an earlier process on this machine. The other is a
 * process in another container.
 */
const ENDED = `${PID}-${Number(START) - 1}-${HOST}`;

const ELSEWHERE = `${PID}-${START}-ffffffff`;

const isTemporary = (name: string): boolean => /^\.tidemark-.*\.tmp$/.test(name);

/** Starts a writer. When the writer has a temporary file, kills it. Returns the temporary files that remain. */
async function killWriter(folder: string, path: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  const before = await readdir(folder);
  for (let look = 0; look < MAX_LOOKS && child.exitCode === null; look += 1)
    if ((await readdir(folder)).some((name) => isTemporary(name) && !before.includes(name))) break;
  child.kill('SIGKILL');
  expect(await closed).toEqual([null, 'SIGKILL']);
  return (await readdir(folder)).filter(isTemporary);
}

describe.skipIf(noMarks)('after a writer was killed (skipped without /proc)', () => {
  test('its temporary file is removed before the next process writes into the folder', async () => {
    const { folder, put, call, confinement } = await openBench();
    const path = await put('big.bin', 'x');
    const left: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) left.push((await killWriter(folder, path)).length);
    // Each writer removes the temporary file of the previous one.
    expect(Math.max(...left)).toBe(1);
    expect((await call(createWriteTool(confinement), { path: 'new.txt', content: 'x' })).code).toBeUndefined();
    expect(await readdir(folder)).toEqual(['big.bin', 'new.txt']);
  });

  test('its lock of a memory file is taken over at once and removed', async () => {
    const bench = await openBench();
    const lock = await bench.put('.tidemark/.tidemark-MEMORY.md.lock', ENDED);
    const place = { path: join(bench.folder, '.tidemark/MEMORY.md'), shown: 'MEMORY.md', inside: true };
    // With an aborted signal, `whileHeld` does not wait for the lock and throws.
    const whileOurs = (): Promise<string> =>
      whileHeld(place, AbortSignal.abort(), async () => await readFile(lock, 'utf8'));
    expect(await whileOurs()).toBe(processMark());
    expect(await readdir(join(bench.folder, '.tidemark'))).toEqual([]);
    await writeFile(lock, processMark());
    await expect(whileOurs()).rejects.toMatchObject({ code: 'ABORT_ERR' });
  });

  test('a process mark distinguishes this process, an earlier process with the same id, and a process that cannot be checked', () =>
    expect([processMark(), ENDED, ELSEWHERE, '', 'x-y-z'].map(processState)).toEqual([
      'alive',
      'ended',
      'unknown',
      'unknown',
      'unknown',
    ]));
});

test('a temporary file stays while its writer runs or may still run', async () => {
  const { folder, put, call, confinement } = await openBench();
  const ended = `.tidemark-${ENDED}-00000000.tmp`;
  const old = `.tidemark-${ELSEWHERE}-00000001.tmp`;
  const earlier = '.tidemark-0123456789abcdef.tmp';
  const kept = [temporaryName(), `.tidemark-${ELSEWHERE}-00000002.tmp`, '.tidemark-mine.tmp', '.tidemark-1-2-x.tmp'];
  for (const name of [ended, old, earlier, ...kept]) await put(name, '');
  for (const name of [old, earlier, '.tidemark-mine.tmp']) await utimes(join(folder, name), 0, 0);
  await mkdir(join(folder, `.tidemark-${ENDED}-00000003.tmp`));
  await symlink('a', join(folder, `.tidemark-${ENDED}-00000004.tmp`));
  await writeFile(join(folder, 'a'), '');
  await call(createWriteTool(confinement), { path: 'b', content: 'x' });
  const others = [`.tidemark-${ENDED}-00000003.tmp`, `.tidemark-${ENDED}-00000004.tmp`, 'a', 'b'];
  const stays = noMarks ? [ended] : [];
  expect((await readdir(folder)).toSorted()).toEqual([...kept, ...others, ...stays].toSorted());
});
