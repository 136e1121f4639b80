// Tests the shim, which runs under an older Node and starts the project's own Node. One Ctrl-C counts as one interrupt.
// No process runs longer than the shim.

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { SessionId } from '@tidemark/log';
import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Stage } from '../tests/scenario.ts';
import { calls, openStage } from '../tests/scenario.ts';

const BIN = fileURLToPath(new URL('../bin/tidemark.cjs', import.meta.url));

let stage: Stage;
let listening: ListeningSimulator;

beforeEach(async () => {
  stage = openStage();
  const steps = [{ answer: calls('bash', { command: 'touch began; sleep 60' }) }, { answer: { text: 'I go on.' } }];
  listening = await createSimulator({ scenario: { steps } }).listen();
});

afterEach(async () => {
  await listening.close();
  stage.clear();
});

/** Returns a command line that runs the command through the shim, as it would under Node 20. */
function shimLine(...args: readonly string[]): readonly [string, ...string[]] {
  const preload = join(stage.home, '..', 'old-node.cjs');
  const versions = `{ value: { ...process.versions, node: '20.1.0' } }`;
  writeFileSync(preload, `Object.defineProperty(process, 'versions', ${versions});`);
  const reach = ['--base-url', listening.url, '--mode', 'auto', '--allow-unsandboxed'];
  return [process.execPath, '--require', preload, BIN, ...args, ...reach];
}

const SETTINGS = { ANTHROPIC_API_KEY: 'no-real-key-at-all' } as const;

/** Starts the command as the leader of a new process group, as a shell starts a job. */
function start(...args: readonly string[]): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  const [node, ...rest] = shimLine(...args);
  const env = { ...process.env, ...SETTINGS, TIDEMARK_HOME: stage.home };
  return spawn(node, rest, { cwd: stage.folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Found {
  readonly session: SessionId;
  readonly outcomes: readonly string[];
}

/**
 * Returns the outcomes of the turns in the only session, from its log. First opens the session for writing, which
 * proves that its lease is free.
 */
async function theSession(): Promise<Found> {
  const store = openNdjsonStore({ home: stage.home });
  const { sessions } = await store.sessions();
  const [only] = sessions;
  if (only === undefined || sessions.length > 1) throw new Error(`there are ${sessions.length} sessions`);
  const { session } = only;
  await (await store.open(session)).close();
  const outcomes: string[] = [];
  for await (const { kind, data } of store.read(session)) if (kind === 'turn.ended') outcomes.push(data.outcome);
  return { session, outcomes };
}

test('one Ctrl-C to the whole process group interrupts the turn, and the log records it', async () => {
  const child = start('wait a while', '--json');
  const code = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('"tool.started"') && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  expect(await code).toBe(130);
  expect((await theSession()).outcomes).toEqual(['interrupted']);
});

test('one SIGINT to the shim alone interrupts the turn, and the log records it', async () => {
  const child = start('wait a while', '--json');
  const code = new Promise((resolve) => child.on('close', resolve));
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('"tool.started"')) child.kill('SIGINT');
  expect(await code).toBe(130);
  expect((await theSession()).outcomes).toEqual(['interrupted']);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  'a %s to the shim alone is forwarded: the demo removes its folder and ends with %i',
  async (signal, exit) => {
    const folder = join(stage.home, '..', `temporary-${signal}`);
    mkdirSync(folder);
    const [node, ...rest] = shimLine('demo');
    const line = rest.slice(0, rest.indexOf('--base-url'));
    const env = { ...process.env, ...SETTINGS, TIDEMARK_HOME: stage.home, TMPDIR: folder };
    const child = spawn(node, line, { cwd: stage.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => child.on('exit', (code, by) => resolve([code, by])));
    child.stdout.on('data', (chunk: Buffer) => chunk.includes('→') && child.kill(signal));
    expect(await ended).toEqual([exit, null]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('a SIGKILL of the shim ends the process that it started, and the lease is released', async () => {
  const child = start('wait a while', '--json');
  // The other end of this stream belongs to the process that the shim started. The stream therefore ends when that
  // process ends.
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('"tool.started"')) child.kill('SIGKILL');
  expect((await theSession()).outcomes).toEqual(['interrupted']);
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

test.skipIf(!hasTmux)(
  'one Ctrl-C at a real terminal interrupts the turn (skipped if tmux is not installed)',
  async () => {
    const socket = `tidemark-shim-${process.pid}`;
    const tmux = (...args: readonly string[]): void => {
      const { status, stderr } = spawnSync('tmux', ['-L', socket, ...args], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    };
    const [code, began] = [join(stage.folder, '..', 'code'), join(stage.folder, 'began')];
    const line = shimLine('run', 'wait', 'a', 'while')
      .map((word) => `'${word}'`)
      .join(' ');
    // Ctrl-C interrupts the shell together with its job. Because of the trap, the shell continues to run.
    const script = `trap : INT; cd '${stage.folder}'; ${line}; echo $? > '${code}'`;
    const env = { ...SETTINGS, TIDEMARK_HOME: stage.home };
    const given = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const toolBegan = appears(stage.folder, began);
    tmux('-f', '/dev/null', 'new-session', '-d', '-x', '120', '-y', '40', ...given, 'sh', '-c', script);
    try {
      await toolBegan;
      const ended = appears(join(stage.folder, '..'), code);
      tmux('send-keys', 'C-c');
      await ended;
    } finally {
      spawnSync('tmux', ['-L', socket, 'kill-server']);
    }
    expect(readFileSync(code, 'utf8').trim()).toBe('130');
    expect((await theSession()).outcomes).toEqual(['interrupted']);
  },
);

/** Resolves when the file exists. The file with the exit code must also have content. */
async function appears(folder: string, file: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const watcher = watch(folder);
    const look = (): void => {
      if (!existsSync(file) || (file.endsWith('code') && readFileSync(file, 'utf8') === '')) return;
      watcher.close();
      resolve();
    };
    watcher.on('change', look);
    look();
  });
}
