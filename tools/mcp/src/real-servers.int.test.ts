// Tests unmodified public servers from npm, over both transports. Also tests every protocol revision that the SDK
// supports.

import type { ToolContext, ToolOutput } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startMadeServer } from '../contract/made-server.ts';
import type { McpServer } from './mcp-server.ts';
import type { McpTools } from './mcp-tools.ts';
import { createMcpTools } from './mcp-tools.ts';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

async function tools(server: McpServer): Promise<McpTools> {
  const mcp = createMcpTools({ servers: { s: server }, waitMs: 50_000 });
  onTestFinished(() => mcp.close());
  await mcp.ready();
  return mcp;
}

interface Called extends ToolOutput {
  readonly problem?: string;
  readonly progress: readonly string[];
}

async function call(
  mcp: McpTools,
  name: string,
  input: object,
  signal = new AbortController().signal,
): Promise<Called> {
  const tool = mcp.offer([]).tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`there is no ${name}`);
  const progress: string[] = [];
  const context: ToolContext = {
    session: sessionId('session-1'),
    call: callId('c1'),
    notice: () => undefined,
    signal,
    write: () => Promise.resolve(),
    progress: (text) => void progress.push(text),
    mask: async (text) => text,
    fileSeen: () => undefined,
    output: () => undefined,
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    history: { length: 0, read: nothing, artifact: nothing },
  };
  const run = await tool.read(input);
  return 'problem' in run ? { ...run, progress } : { ...(await run.run(context)), progress };
}

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

/**
 * Makes the public server listen on loopback and print its port. The server has no option for its address. Therefore
 * this code is loaded before the server.
 */
const ON_LOOPBACK = `import net from 'node:net';
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (_port, then) {
  return listen.call(this, 0, '127.0.0.1', () => { process.stderr.write('PORT ' + this.address().port + '\\n'); then?.(); });
};`;

async function everythingOverHttp(): Promise<McpServer> {
  const preload = `data:text/javascript,${encodeURIComponent(ON_LOOPBACK)}`;
  const child: ChildProcess = spawn(process.execPath, ['--import', preload, EVERYTHING, 'streamableHttp'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    const port = /PORT (\d+)/.exec(said)?.[1];
    if (port !== undefined) return { url: `http://127.0.0.1:${port}/mcp` };
  }
  throw new Error(`the server did not listen: ${said}`);
}

const WAYS: readonly (readonly [string, () => Promise<McpServer>])[] = [
  ['standard input and output', () => Promise.resolve({ command: process.execPath, args: [EVERYTHING] })],
  ['streamable HTTP', everythingOverHttp],
];

describe.each(WAYS)('server-everything over %s', (_way, reach) => {
  test('returns text, images, structured content, resources and links, and reports progress', async () => {
    const mcp = await tools(await reach());
    const names = mcp.offer([]).tools.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(await call(mcp, 's__echo', { message: 'hi' })).toMatchObject({ text: 'Echo: hi' });
    const { images } = await call(mcp, 's__get-tiny-image', {});
    expect(images?.map(({ mediaType }) => mediaType)).toEqual(['image/png']);
    const weather = await call(mcp, 's__get-structured-content', { location: 'Chicago' });
    expect(JSON.parse(weather.text ?? '')).toMatchObject({ conditions: 'Light rain / drizzle' });
    const { text: links } = await call(mcp, 's__get-resource-links', { count: 2 });
    expect(links?.match(/\[a link to the resource demo:/g)).toHaveLength(2);
    const { progress } = await call(mcp, 's__trigger-long-running-operation', { duration: 0.2, steps: 2 });
    expect(progress).toContain('1 of 2');
  });

  test('cancels a call on the signal, and then answers other calls', async () => {
    const mcp = await tools(await reach());
    const stop = new AbortController();
    const long = call(mcp, 's__trigger-long-running-operation', { duration: 60, steps: 60 }, stop.signal);
    stop.abort();
    expect(await long).toMatchObject({ failed: true });
    expect(await call(mcp, 's__echo', { message: 'still there' })).toMatchObject({ text: 'Echo: still there' });
  });

  test('receives no call whose arguments do not match the schema', async () => {
    const mcp = await tools(await reach());
    const { problem } = await call(mcp, 's__get-sum', { a: 'one', b: 2 });
    expect(problem).toContain('`a` must be number');
  });
});

test('a program receives six environment variables and the configured ones, and no key of this process', async () => {
  process.env['SOME_API_KEY'] = 'a-key-that-nobody-may-see';
  onTestFinished(() => void delete process.env['SOME_API_KEY']);
  const mcp = await tools({ command: process.execPath, args: [EVERYTHING], env: { SHOP: 'corner' } });
  const { text = '{}' } = await call(mcp, 's__get-env', {});
  const names = Object.keys(JSON.parse(text));
  expect(names).toContain('SHOP');
  expect(names.filter((name) => !/^(HOME|LOGNAME|PATH|SHELL|TERM|USER|SHOP)$/.test(name))).toEqual([]);
});

test('server-filesystem reads, writes and refuses, and its errors become failed results', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-mcp-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.txt'), 'inside');
  const mcp = await tools({
    command: process.execPath,
    args: [FILESYSTEM, folder],
    effect: { read_text_file: 'read' },
  });
  expect(await call(mcp, 's__read_text_file', { path: join(folder, 'a.txt') })).toMatchObject({ text: 'inside' });
  const outside = await call(mcp, 's__read_text_file', { path: join(folder, '..', 'b.txt') });
  expect(outside).toMatchObject({ failed: true, text: expect.stringContaining('Access denied') });
  const effects = new Map(mcp.offer([]).tools.map(({ name, effect }) => [name, effect]));
  // The server declares both tools as read-only. The declaration must be ignored.
  expect([effects.get('s__read_text_file'), effects.get('s__list_directory')]).toEqual(['read', 'execute']);
});

/** A handwritten server that uses a given protocol revision. Each message is one line of JSON. */
const OLD_SERVER = `
const tool = { name: 'echo', description: 'Echoes.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
const results = {
  initialize: () => ({ protocolVersion: process.argv[1], capabilities: { tools: {} }, serverInfo: { name: 'old', version: '0' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { text } }) => ({ content: [{ type: 'text', text }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }));
});`;

describe.each(SUPPORTED_PROTOCOL_VERSIONS)('protocol revision %s', (revision) => {
  test('works with a program', async () => {
    const mcp = await tools({ command: process.execPath, args: ['-e', OLD_SERVER, revision] });
    expect(await call(mcp, 's__echo', { text: 'hello' })).toMatchObject({ text: 'hello' });
  });

  test('works over HTTP, and is named in each request', async () => {
    const server = await startMadeServer({ tools: [{ name: 'echo' }], revision });
    onTestFinished(() => server.stop());
    const mcp = await tools({ url: server.url });
    expect(await call(mcp, 's__echo', {})).toMatchObject({ text: 'echo was called with {}' });
    expect([...server.revisions]).toEqual([revision]);
  });
});

test('an invalid tool in a list affects only that tool, and is reported in one line', async () => {
  const odd = [{ name: 'none' }, { name: 'list', inputSchema: { type: 'array' } }, { inputSchema: {} }, 'a word', null];
  const server = OLD_SERVER.replace('tools: [tool]', `tools: [...${JSON.stringify(odd)}, tool]`);
  const mcp = await tools({ command: process.execPath, args: ['-e', server, SUPPORTED_PROTOCOL_VERSIONS[0] ?? ''] });
  const { tools: listed, troubles } = mcp.offer([]);
  expect(listed.map(({ name }) => name)).toEqual(['s__echo']);
  expect(troubles.map(({ code, message }) => [code, message])).toEqual(
    ['s__list', 's__none'].map((name) => [
      'mcp/bad-schema',
      `the tool ${name} is not offered, because the schema of its arguments cannot be used: it is not an object`,
    ]),
  );
  expect(await call(mcp, 's__echo', { text: 'hello' })).toMatchObject({ text: 'hello' });
});

test('an endless list is cut off and reported, and a tool that can only run as a task is omitted', async () => {
  const page = `(page = (globalThis.page ?? -1) + 1, globalThis.page = page, {
    tools: [{ ...tool, name: 'tool' + page, ...(page === 3 && { execution: { taskSupport: 'required' } }) }],
    nextCursor: 'page' + page,
  })`;
  const server = `let page;${OLD_SERVER.replace('({ tools: [tool] })', page)}`;
  const mcp = await tools({ command: process.execPath, args: ['-e', server, SUPPORTED_PROTOCOL_VERSIONS[0] ?? ''] });
  const { tools: listed, troubles } = mcp.offer([]);
  expect(listed).toHaveLength(49);
  expect(troubles).toEqual([
    expect.objectContaining({
      code: 'mcp/left-out',
      message: 'not all tools of the MCP server s are offered: its list has more than 50 pages',
    }),
  ]);
});

test('a server with an unknown revision is reported as unavailable, with the reason', async () => {
  const mcp = await tools({ command: process.execPath, args: ['-e', OLD_SERVER, '1999-01-01'] });
  const { tools: none, troubles } = mcp.offer([]);
  expect([none, troubles[0]?.code]).toEqual([[], 'mcp/unavailable']);
  expect(troubles[0]?.message).toContain('1999-01-01');
});
