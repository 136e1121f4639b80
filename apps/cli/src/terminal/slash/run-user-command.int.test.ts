// Runs real commands of a user.

import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createSecrets } from '@tidemark/agent';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

import type { EndedUserCommand, UserCommandPlace } from './run-user-command.ts';
import { runUserCommand } from './run-user-command.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-user-command-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function ran(line: string, changes: Partial<UserCommandPlace> = {}): Promise<EndedUserCommand> {
  return runUserCommand(line, {
    folder,
    environment: { PATH: process.env['PATH'], TOKEN: 'tm-very-secret-value-1' },
    secrets: createSecrets({ values: [{ name: 'TOKEN', value: 'tm-very-secret-value-1' }] }),
    signal: new AbortController().signal,
    watch: () => undefined,
    ...changes,
  });
}

test('a command runs in the folder, and its two outputs are one text', async () => {
  expect(await ran('pwd; echo problem >&2; exit 3')).toMatchObject({
    end: 3,
    output: `${folder}\nproblem\n`,
    background: false,
    stopped: false,
  });
});

test('a command has no input, so it does not wait for the terminal', async () => {
  expect(await ran('cat; echo end')).toMatchObject({ end: 0, output: 'end\n' });
});

test('a command that does not exist ends with 127', async () => {
  expect(await ran('no-such-program-here')).toMatchObject({ end: 127, output: expect.stringContaining('not found') });
});

test('the shell of the user runs the command', async () => {
  expect(await ran('ignored', { environment: { SHELL: '/bin/echo' } })).toMatchObject({ output: '-c ignored\n' });
});

test('a shell that does not exist is an error', async () => {
  await expect(ran('true', { environment: { SHELL: '/nowhere/shell' } })).rejects.toThrow('ENOENT');
});

test('a secret in the output is masked', async () => {
  const { output } = await ran('echo "a $TOKEN b"');
  expect(output).not.toContain('very-secret');
  expect(output).toMatch(/^a .*TOKEN.* b\n$/);
});

test('the shown pieces of a running command are masked and consist of whole lines', async () => {
  const shown = Promise.withResolvers<string>();
  const abort = new AbortController();
  const running = ran('printf "one\\n$TOKEN\\nhalf"; exec sleep 600', {
    signal: abort.signal,
    watch: (piece) => shown.resolve(piece),
  });
  expect(await shown.promise).toMatch(/^one\n\[.*TOKEN.*\]\n$/);
  abort.abort();
  await running;
});

test('an output that is too long keeps its beginning and its end', async () => {
  const { output } = await ran('echo first; head -c 6000000 /dev/zero | tr "\\0" x; echo; echo last');
  expect(output.length).toBeLessThan(4_200_000);
  expect(output).toMatch(/^first\nx+\n\[\d+ bytes were dropped\]\nx+\nlast\n$/);
});

test('a stopped command ends with every process that it started', async () => {
  const abort = new AbortController();
  const ready = Promise.withResolvers<void>();
  const running = ran('sleep 600 & echo $! > child; echo ready; wait', {
    signal: abort.signal,
    watch: () => ready.resolve(),
  });
  await ready.promise;
  abort.abort();
  expect(await running).toMatchObject({ end: 'SIGTERM', stopped: true });
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test('a background process does not keep the command open, and it goes on', async () => {
  const { background, output } = await ran('sleep 600 & echo $! > child; echo started');
  const child = Number(readFileSync(join(folder, 'child'), 'utf8'));
  onTestFinished(() => void process.kill(child));
  expect({ background, output }).toEqual({ background: true, output: 'started\n' });
  expect(isRunning(child)).toBe(true);
});

function isRunning(pid: number): boolean {
  try {
    // A process that has ended but was not waited for is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
