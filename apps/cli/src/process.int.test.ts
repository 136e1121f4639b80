// The command as a process of its own: exit codes, streams, signals, and the hand-over under an old Node.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../bin/tidemark.cjs', import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-cli-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Node options that make the process believe it is an old one; what it spawns is not affected. */
function asOldNode(): readonly string[] {
  const preload = join(folder, 'old-node.cjs');
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`,
  );
  return ['--require', preload];
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function tidemark(args: readonly string[], options: readonly string[] = [], bin: string = BIN): Ran {
  const ran = spawnSync(process.execPath, [...options, bin, ...args], { encoding: 'utf8' });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

/** The JSON of the first line that a process prints. */
async function firstLine(stream: NodeJS.ReadableStream): Promise<{ readonly url: string }> {
  for await (const line of createInterface({ input: stream })) return JSON.parse(line);
  throw new Error('the process printed nothing');
}

test('keeps what Node made of its sources for the next start, where nobody else can write', () => {
  const {
    NODE_DISABLE_COMPILE_CACHE: _off,
    NODE_COMPILE_CACHE: _elsewhere,
    XDG_CACHE_HOME: _caches,
    ...env
  } = process.env;
  const { status } = spawnSync(process.execPath, [BIN, '--version'], { env: { ...env, HOME: folder } });
  expect(status).toBe(0);
  const compiled = join(folder, '.cache', 'tidemark', 'compiled');
  expect(readdirSync(compiled)).toHaveLength(1);
  expect((statSync(compiled).mode & 0o777).toString(8)).toBe('700');
});

test('runs from its source, and prints nothing on stderr', () => {
  expect(tidemark(['--version'])).toEqual({ code: 0, out: '0.0.0\n', err: '' });
});

test('hands over to the Node of the project under an old one: arguments, streams and exit code', () => {
  const ran = tidemark(['sesions', '--json'], asOldNode());
  expect(ran).toMatchObject({ code: 2, err: '' });
  expect(JSON.parse(ran.out)).toMatchObject({
    ok: false,
    error: { next: expect.stringContaining('did you mean sessions?') },
  });
});

test('says which Node is needed under an old one that stands alone', () => {
  cpSync(BIN, join(folder, 'tidemark.cjs'));
  const ran = tidemark(['--version'], asOldNode(), join(folder, 'tidemark.cjs'));
  expect(ran).toMatchObject({ code: 2, out: '' });
  expect(ran.err).toMatch(/needs Node 24 or later.*\nnext: /);
});

test('runs the simulator until Ctrl-C, and ends with 130', async () => {
  const child = spawn(process.execPath, [BIN, 'simulate', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  try {
    const { url } = await firstLine(child.stdout);
    const answer = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  } finally {
    child.kill('SIGINT');
  }
  expect(await ended).toEqual({ code: 130, signal: null });
});

test('runs the simulator for hosts that are allowed, and ends at Ctrl-C with connections open', async () => {
  const args = [BIN, 'simulate', '--json', '--allow-host', 'ci.test', '--allow-host', 'other.test'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  const { url } = await firstLine(child.stdout);
  const port = Number(new URL(url).port);
  const status = async (host: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    return received.slice('HTTP/1.1 '.length, 'HTTP/1.1 404'.length);
  };
  expect(await status('ci.test:80')).toBe('404');
  expect(await status('other.test')).toBe('404');
  expect(await status('evil.test')).toBe('421');
  const half = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => half.on('error', () => undefined).on('close', resolve));
  half.write('POST /v1/messages HTTP/1.1\r\n');
  // An answer on a later connection shows that the first one was accepted.
  expect(await status('ci.test')).toBe('404');
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
  await closed;
});

test('passes Ctrl-C on to the Node that took over', async () => {
  const args = [...asOldNode(), BIN, 'simulate', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  await firstLine(child.stdout);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
});

test('refuses a port that is taken, with the next step', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ran = tidemark(['simulate', '--port', String(port), '--json']);
  taken.close();
  expect(ran.code).toBe(3);
  expect(JSON.parse(ran.out)).toMatchObject({ ok: false, error: { code: 'simulator/listen-failed' } });
});

test('ends when the command has ended, whatever it left open, and loses no output', () => {
  const preload = join(folder, 'left-open.cjs');
  writeFileSync(preload, 'setInterval(() => undefined, 1000);');
  const ran = spawnSync(process.execPath, ['--require', preload, BIN, '--help'], { encoding: 'utf8', timeout: 20_000 });
  expect({ status: ran.status, signal: ran.signal }).toEqual({ status: 0, signal: null });
  expect(ran.stdout).toMatch(/141 output closed\.\n$/);
});

test('ends with 141 and without a word when nobody reads its output', async () => {
  const child = spawn(process.execPath, [BIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, err }).toEqual({ code: 141, err: '' });
});
