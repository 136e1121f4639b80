// Tests the lifetime of a server with a clock that the test moves. The tests include the wait of the first request, the
// pauses between attempts, and calls during a pause.

import { virtualTime } from '@tidemark/agent/contract';
import type { ToolContext, ToolOutput } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { MadeServer, MadeTool } from '../contract/made-server.ts';
import { startMadeServer } from '../contract/made-server.ts';
import type { Approvals, Definition } from './approvals.ts';
import type { McpTools } from './mcp-tools.ts';
import { createMcpTools } from './mcp-tools.ts';

const POLL = { interval: 5, timeout: 20_000 };

async function serverOf(...tools: readonly MadeTool[]): Promise<MadeServer> {
  const server = await startMadeServer({ tools });
  onTestFinished(() => server.stop());
  return server;
}

function closing(mcp: McpTools): McpTools {
  onTestFinished(() => mcp.close());
  return mcp;
}

async function call(mcp: McpTools, name: string, signal = new AbortController().signal): Promise<ToolOutput> {
  const run = await mcp
    .offer([])
    .tools.find((one) => one.name === name)
    ?.read({});
  if (run === undefined || 'problem' in run) throw new Error(`${name} cannot be called: ${run?.problem}`);
  const context: ToolContext = {
    session: sessionId('session-1'),
    call: callId('c1'),
    notice: () => undefined,
    signal,
    write: () => Promise.resolve(),
    progress: () => undefined,
    mask: async (text) => text,
    fileSeen: () => undefined,
    output: () => undefined,
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    history: { length: 0, read: nothing, artifact: nothing },
  };
  return run.run(context);
}

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

/** Starts a server that accepts connections and never sends anything. */
async function mute(): Promise<{ readonly url: string; readonly reached: () => number }> {
  let reached = 0;
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((socket) => {
    reached += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((end) => server.close(end));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}/mcp`, reached: () => reached };
}

describe('the wait of the first request', () => {
  test('ends after five seconds with the tools of the servers that are connected', async () => {
    const clock = virtualTime();
    const { url } = await mute();
    const server = await serverOf({ name: 'look' });
    const servers = { late: { url }, there: { url: server.url } };
    const mcp = closing(createMcpTools({ servers, surroundings: clock.surroundings }));
    const ready = mcp.ready().then(() => 'ready');
    await vi.waitFor(() => expect(mcp.offer([]).tools.map(({ name }) => name)).toEqual(['there__look']), POLL);
    clock.pass(4_999);
    expect(await Promise.race([ready, tick()])).toBe('not yet');
    clock.pass(1);
    expect(await ready).toBe('ready');
    expect(mcp.offer([]).troubles.map(({ message }) => message)).toEqual([
      'the MCP server late is not connected: it is being started',
    ]);
  });

  test('lasts as long as `waitMs`, and happens only once', async () => {
    const clock = virtualTime();
    const { url } = await mute();
    const mcp = closing(createMcpTools({ servers: { late: { url } }, waitMs: 20, surroundings: clock.surroundings }));
    const ready = mcp.ready();
    clock.pass(20);
    await ready;
    await mcp.ready();
  });

  test('ends at once when all servers have answered', async () => {
    const server = await serverOf({ name: 'look' });
    const { surroundings } = virtualTime();
    const mcp = closing(createMcpTools({ servers: { there: { url: server.url } }, surroundings }));
    await mcp.ready();
    expect(mcp.offer([]).troubles).toEqual([]);
  });
});

test('an unavailable server is tried again after 1, 2, 4 … 60 seconds, and the pauses start at 1 second again after it has been connected', async () => {
  const clock = virtualTime();
  const server = await serverOf({ name: 'look' });
  const pauses: number[] = [];
  const surroundings = {
    ...clock.surroundings,
    wait: (ms: number, signal?: AbortSignal) => {
      pauses.push(ms);
      return clock.surroundings.wait(ms, signal);
    },
  };
  await server.stop();
  const mcp = closing(createMcpTools({ servers: { s: { url: server.url } }, waitMs: 0, surroundings }));
  await mcp.ready();
  pauses.length = 0;
  for (let tries = 1; tries < 9; tries += 1) {
    await vi.waitFor(() => expect(pauses.length).toBeGreaterThanOrEqual(tries - 1), POLL);
    await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0), POLL);
    clock.passToNext();
  }
  await vi.waitFor(() => expect(pauses.at(-1)).toBe(60_000), POLL);
  expect(pauses.filter((ms, index) => ms !== pauses[index - 1]).slice(-6)).toEqual([
    2_000, 4_000, 8_000, 16_000, 32_000, 60_000,
  ]);
  await server.start();
  clock.passToNext();
  await vi.waitFor(() => expect(mcp.offer([]).troubles).toEqual([]), POLL);
  clock.pass(30_000);
  await server.stop();
  await vi.waitFor(() => expect(pauses.at(-1)).toBe(1_000), POLL);
});

test('the model learns that a call may have taken effect if the server is lost during the call', async () => {
  const reached = Promise.withResolvers<void>();
  const server = await serverOf({
    name: 'buy',
    answer: () => {
      reached.resolve();
      return new Promise(() => undefined);
    },
  });
  const mcp = closing(
    createMcpTools({ servers: { s: { url: server.url } }, surroundings: virtualTime().surroundings }),
  );
  await mcp.ready();
  const bought = call(mcp, 's__buy');
  await reached.promise;
  await server.stop();
  expect(await bought).toMatchObject({
    failed: true,
    text: expect.stringContaining('may or may not have carried out'),
  });
  await vi.waitFor(() => expect(mcp.offer([]).troubles).toHaveLength(1), POLL);
  expect(await call(mcp, 's__buy')).toMatchObject({ failed: true, text: expect.stringContaining('did not run') });
});

test('a call without a sign of progress ends after its timeout', async () => {
  const server = await serverOf({ name: 'sleep', answer: () => new Promise(() => undefined) });
  const mcp = closing(createMcpTools({ servers: { s: { url: server.url, timeoutMs: 20 } } }));
  await mcp.ready();
  const { text } = await call(mcp, 's__sleep');
  expect(text).toMatch(/timed out.*may or may not have carried out/s);
});

/**
 * Program of a handwritten server. It sends an invalid tool result, which a server made with the SDK could not send.
 */
const ODD = `
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } },
      'tools/list': { tools: [{ name: 'odd', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 5 }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
  });
`;

test('an invalid result becomes a text, with the warning that the call may have taken effect', async () => {
  const mcp = closing(createMcpTools({ servers: { s: { command: process.execPath, args: ['-e', ODD] } } }));
  await mcp.ready();
  const { failed, text } = await call(mcp, 's__odd');
  expect(failed).toBe(true);
  expect(text).toMatch(
    /^The call of "s__odd" failed: its answer is not a valid tool result: content.*: .*\. The MCP .* may or may not/,
  );
  expect(text).not.toContain('{');
});

test('a tool with an invalid schema is omitted and reported, and the other tools stay', async () => {
  const bad: MadeTool = { name: 'bad', properties: { a: { type: 'no such type' } } };
  const server = await serverOf({ name: 'good' }, bad);
  const mcp = closing(createMcpTools({ servers: { s: { url: server.url } } }));
  await mcp.ready();
  const { tools, troubles } = mcp.offer([]);
  expect([tools.map(({ name }) => name), troubles.map(({ code }) => code)]).toEqual([['s__good'], ['mcp/bad-schema']]);
});

test('an approval that cannot be stored applies to the session, and is reported', async () => {
  const server = await serverOf({ name: 'look' });
  const before: Definition = { name: 'there__look', description: 'Other.', schema: { type: 'object' } };
  const accepted = new Map([[before.name, before]]);
  const approvals: Approvals = {
    get: (name) => accepted.get(name),
    take(definitions) {
      for (const one of definitions) accepted.set(one.name, one);
      throw new Error('the disk is full');
    },
  };
  const { surroundings } = virtualTime();
  const mcp = closing(createMcpTools({ servers: { there: { url: server.url } }, approvals, surroundings }));
  await mcp.ready();
  const [question] = mcp.offer([]).held;
  question?.approve();
  const { tools, held, troubles } = mcp.offer([]);
  expect([tools.map(({ name }) => name), held]).toEqual([['there__look'], []]);
  expect(troubles).toMatchObject([{ code: 'mcp/approvals-unkept' }]);
  expect(troubles[0]?.message).toBe('the approval of the tool there__look could not be saved: the disk is full');
  expect(mcp.offer([]).troubles).toEqual([]);
});

test('the effects that a server declares are ignored', async () => {
  const server = await serverOf({ name: 'look', annotations: { readOnlyHint: true, destructiveHint: false } });
  const mcp = closing(createMcpTools({ servers: { s: { url: server.url } } }));
  await mcp.ready();
  expect(mcp.offer([]).tools.map(({ effect }) => effect)).toEqual(['execute']);
});

test('an invalid server name throws `mcp/bad-name` at once', () => {
  expect(() => createMcpTools({ servers: { 'a.b': { command: 'x' } } })).toThrow(
    expect.objectContaining({ code: 'mcp/bad-name' }),
  );
});

function tick(): Promise<string> {
  return new Promise((resolve) => setImmediate(() => resolve('not yet')));
}

test('closing ends the program, even if it is still starting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-mcp-end-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ended = join(folder, 'ended');
  const program = `process.stdin.on('end', () => { require('node:fs').writeFileSync(process.argv[1], ''); process.exit(); }).resume(); process.stderr.write('up');`;
  const servers = { s: { command: process.execPath, args: ['-e', program, ended] } };
  const mcp = createMcpTools({ servers, waitMs: 0 });
  await mcp.ready();
  await mcp.close();
  await vi.waitFor(() => expect(existsSync(ended)).toBe(true), POLL);
  expect(mcp.offer([])).toMatchObject({ tools: [], held: [] });
});

test.skipIf(process.platform === 'win32')(
  'closing ends a program that never answers and ignores the end of its input (skipped: Windows has no SIGTERM)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'pid');
    const program = `require('node:fs').writeFileSync(process.argv[1], String(process.pid)); setInterval(() => undefined, 1000);`;
    const mcp = createMcpTools({
      servers: { silent: { command: process.execPath, args: ['-e', program, file] } },
      waitMs: 10,
    });
    void mcp.ready();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).not.toBe(''), POLL);
    await mcp.close();
    expect(() => process.kill(Number(readFileSync(file, 'utf8')), 0)).toThrow('ESRCH');
  },
);
