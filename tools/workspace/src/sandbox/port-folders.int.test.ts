// Tests the folders of open ports. After a process was killed, its folder must be removed.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { processMark } from '../write/process-mark.ts';
import { makePortFolder, removeLeftPortFolders } from './port-folders.ts';
import { createSandbox } from './sandbox.ts';

const OPENER = fileURLToPath(new URL('../../tests/open-port-until-killed.ts', import.meta.url));
const [PID, START, HOST] = processMark().split('-');
const noMarks = HOST === '00000000';
const ENDED = `${PID}-${Number(START) - 1}-${HOST}`;
const ELSEWHERE = `${PID}-${START}-ffffffff`;

let temporary: string;
beforeEach(async () => {
  temporary = (await openBench()).folder;
  vi.stubEnv('TMPDIR', temporary);
  return () => vi.unstubAllEnvs();
});

function startSandbox(): void {
  const nothing = { environment: {}, forbidden: [], protectedPaths: [] };
  createSandbox({
    bwrap: '/usr/bin/bwrap',
    shell: '/bin/sh',
    workspace: temporary,
    home: temporary,
    repository: 'read-only',
    ...nothing,
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

describe.skipIf(noMarks)('after a process was killed (skipped without /proc)', () => {
  test('the folder of its open ports is removed when the next sandbox starts', async () => {
    const child = spawn(process.execPath, [OPENER, String(await freePort())], { stdio: ['pipe', 'pipe', 'inherit'] });
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    startSandbox();
    expect(await readdir(temporary)).toEqual([expect.stringMatching(new RegExp(`^tidemark-ports-${child.pid}-`))]);
    child.kill('SIGKILL');
    await closed;
    expect(await readdir(temporary)).toHaveLength(1);
    startSandbox();
    expect(await readdir(temporary)).toEqual([]);
  });
});

test('a port folder stays while its process runs or may still run', async () => {
  const own = makePortFolder().slice(temporary.length + 1);
  const ended = `tidemark-ports-${ENDED}-aaaaaa`;
  const [old, earlier] = [`tidemark-ports-${ELSEWHERE}-aaaaaa`, 'tidemark-ports-Ab3dE6'];
  const [young, file, link] = [ELSEWHERE, ENDED, ENDED].map((mark, at) => `tidemark-ports-${mark}-bbbbb${at}`);
  const folders = [ended, old, earlier, young ?? '', 'tidemark-ports-mine-aaaaaa', 'elsewhere'];
  for (const name of folders) await mkdir(join(temporary, name));
  await writeFile(join(temporary, `${ended}/8080`), '');
  for (const name of [old, earlier, 'elsewhere']) await utimes(join(temporary, name), 0, 0);
  await writeFile(join(temporary, file ?? ''), '');
  await symlink('elsewhere', join(temporary, link ?? ''));
  removeLeftPortFolders();
  const stays: readonly string[] = [
    own,
    young ?? '',
    file ?? '',
    link ?? '',
    'tidemark-ports-mine-aaaaaa',
    'elsewhere',
    ...(noMarks ? [ended] : []),
  ].toSorted();
  expect((await readdir(temporary)).toSorted()).toEqual(stays);
});
