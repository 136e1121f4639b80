// Tests the command as a separate process: exit codes, streams, signals, and the start through the shim under an old
// Node.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

/**
 * Returns Node options that make a process report the version of another Node. Child processes of this process are not
 * affected.
 */
function asOldNode(version = '20.1.0'): readonly string[] {
  const preload = join(folder, 'old-node.cjs');
  writeFileSync(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
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

async function firstLine(stream: NodeJS.ReadableStream): Promise<{ readonly url: string }> {
  for await (const line of createInterface({ input: stream })) return JSON.parse(line);
  throw new Error('the process printed nothing');
}

test('the compile cache is stored in a folder that only the user can access', () => {
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

test('`--version` runs from the source files and prints nothing on stderr', () => {
  expect(tidemark(['--version'])).toEqual({ code: 0, out: '0.0.0\n', err: '' });
});

test("under an old Node, the project's own Node takes over with arguments, streams and exit code", () => {
  const ran = tidemark(['sesions', '--json'], asOldNode());
  expect(ran).toMatchObject({ code: 2, err: '' });
  expect(JSON.parse(ran.out)).toMatchObject({
    ok: false,
    error: { next: expect.stringContaining('did you mean sessions?') },
  });
});

test("under an old Node without the project's own, the error names the required version", () => {
  cpSync(BIN, join(folder, 'tidemark.cjs'));
  const ran = tidemark(['--version'], asOldNode(), join(folder, 'tidemark.cjs'));
  expect(ran).toMatchObject({ code: 2, out: '' });
  expect(ran.err).toMatch(/needs Node 24 or later, or Node 22\.18 or a later Node 22, and .*\nnext: /);
});

test.each([
  ['22.17.1', 2],
  ['22.18.0', 0],
  ['22.30.0', 0],
  ['23.11.1', 2],
  ['24.0.0', 0],
  ['25.1.0', 0],
])("an installed command under Node %s without the project's own ends with %i", (version, code) => {
  mkdirSync(join(folder, 'bin'));
  const bin = join(folder, 'bin', 'tidemark.cjs');
  cpSync(BIN, bin);
  writeFileSync(join(folder, 'main.js'), 'exports.main = () => console.log("started");');
  expect(tidemark([], asOldNode(version), bin)).toMatchObject({ code, out: code === 0 ? 'started\n' : '' });
});

test("a clone under Node 22 is run by the project's own Node, because its sources need Node 24", () => {
  expect(tidemark(['--version'], asOldNode('22.30.0'))).toEqual({ code: 0, out: '0.0.0\n', err: '' });
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'src'));
  const bin = join(folder, 'bin', 'tidemark.cjs');
  cpSync(BIN, bin);
  writeFileSync(join(folder, 'src', 'main.ts'), '');
  const ran = tidemark(['--version'], asOldNode('22.30.0'), bin);
  expect(ran.code).toBe(2);
  expect(ran.err).toMatch(/needs Node 24 or later, and it runs under /);
});

test('a warning of Node reaches stderr, and starting a session adds none', () => {
  const preload = join(folder, 'warning.cjs');
  writeFileSync(preload, `process.emitWarning('a feature of its own', 'ExperimentalWarning');`);
  const { err } = tidemark(['sessions'], ['--require', preload]);
  expect(err.match(/Warning: .*/g)).toEqual(['Warning: a feature of its own']);
});

test('`simulate` runs until Ctrl-C and ends with 130', async () => {
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

test('`simulate` serves only allowed hosts, and Ctrl-C ends it despite open connections', async () => {
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
  // A new connection is answered, which proves that the server has already accepted the earlier connection.
  expect(await status('ci.test')).toBe('404');
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
  await closed;
});

test.each([
  [[], 400, expect.stringContaining('--offer-server-tools')],
  [['--offer-server-tools'], 200, undefined],
])('`simulate %j` answers a call that offers web search with %i', async (flags, status, message) => {
  const child = spawn(process.execPath, [BIN, 'simulate', '--json', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    const { url } = await firstLine(child.stdout);
    const body = JSON.stringify({ model: 'gpt-5.5', input: 'hello', tools: [{ type: 'web_search' }] });
    const headers = { authorization: 'Bearer any' };
    const answer = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body });
    const told: { readonly error?: { readonly message?: string } | null } = JSON.parse(await answer.text());
    expect([answer.status, told.error?.message]).toEqual([status, message]);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
});

test('Ctrl-C is passed on to the Node that took over', async () => {
  const args = [...asOldNode(), BIN, 'simulate', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  await firstLine(child.stdout);
  child.kill('SIGINT');
  expect(await ended).toEqual({ code: 130, signal: null });
});

test('`simulate` refuses a port in use and returns an error code', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ran = tidemark(['simulate', '--port', String(port), '--json']);
  taken.close();
  expect(ran.code).toBe(3);
  expect(JSON.parse(ran.out)).toMatchObject({ ok: false, error: { code: 'simulator/listen-failed' } });
});

test('the process exits when the command has ended, despite an open timer, and loses no output', () => {
  const preload = join(folder, 'left-open.cjs');
  writeFileSync(preload, 'setInterval(() => undefined, 1000);');
  const ran = spawnSync(process.execPath, ['--require', preload, BIN, '--help'], { encoding: 'utf8', timeout: 20_000 });
  expect({ status: ran.status, signal: ran.signal }).toEqual({ status: 0, signal: null });
  expect(ran.stdout).toMatch(/141 output closed\.\n$/);
});

test('the process ends with 141 and prints nothing if its output is not read', async () => {
  const child = spawn(process.execPath, [BIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, err }).toEqual({ code: 141, err: '' });
});
