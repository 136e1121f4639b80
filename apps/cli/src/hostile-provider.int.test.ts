// Tests the command against a server whose answer never ends. Ctrl-C must end the run for any kind of data. Otherwise
// the test hangs.

import { spawn } from 'node:child_process';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, expect, inject, test } from 'vitest';

import type { Stage } from '../tests/scenario.ts';
import { openStage } from '../tests/scenario.ts';

const BIN = inject('command');
const BEGUN = [
  { type: 'message_start', message: { id: 'm', model: 'claude-sonnet-4-5', content: [], usage: { input_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
];
const DELTA = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };

let stage: Stage;
let server: Server;

beforeEach(() => {
  stage = openStage();
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  stage.clear();
});

/** Serves an endless body to every request. When a part of the body was sent, the returned promise `under` resolves. */
async function serve(
  status: number,
  piece: string,
  before = '',
): Promise<{ readonly url: string; under: Promise<void> }> {
  const under = Promise.withResolvers<void>();
  const pump = (response: ServerResponse): void => {
    while (!response.destroyed)
      if (!response.write(piece)) {
        response.once('drain', () => {
          under.resolve();
          pump(response);
        });
        return;
      }
  };
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    response.write(before);
    pump(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, under: under.promise };
}

const sse = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

test.each([
  ['an error', 500, 'a'.repeat(10_000), ''],
  ['comments', 200, `: ${'nothing '.repeat(1_000)}\n\n`, ''],
  ['small deltas', 200, sse(DELTA).repeat(100), BEGUN.map(sse).join('')],
])('SIGINT ends a run that receives %s without end', async (_title, status, piece, before) => {
  const { url, under } = await serve(status, piece, before);
  const child = spawn(process.execPath, [BIN, 'run', 'hello there', '--output-limit', '64000', '--base-url', url], {
    cwd: stage.folder,
    env: { ...process.env, TIDEMARK_HOME: stage.home, ANTHROPIC_API_KEY: 'no-real-key-at-all' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise((resolve) => child.on('close', resolve));
  const said = text(child.stderr);
  child.stdout.resume();
  await under;
  child.kill('SIGINT');
  expect(await code).toBe(130);
  expect(await said).toContain('interrupted: ');
});
