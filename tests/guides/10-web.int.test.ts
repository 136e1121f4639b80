// Guide on the web: the commands of the page run and print what the page shows. The site of the page runs as the page
// shows it, on a free port.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { readPage } from './documents.ts';
import { blocksIn } from './read-blocks.ts';
import { SNIPPETS } from './run-snippet.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '10-web.md');
const text = await readPage(ROOT, page);
const folder = await mkdtemp(join(tmpdir(), 'tidemark-site-'));
const site = await startSite();

afterAll(async () => {
  site.child.kill();
  await rm(folder, { recursive: true, force: true });
});

test('the program of the page is the beginning of `web-agent.ts`', async () => {
  const program = await readFile(join(ROOT, SNIPPETS, 'web-agent.ts'), 'utf8');
  const lines = blocksIn(text).find(({ language }) => language === 'ts ../web-agent.ts')?.lines ?? [];
  expect(lines.length).toBeGreaterThan(5);
  expect(program).toContain(`\n${lines.join('\n')}\n`);
});

testPage({ page, text: text.replaceAll(':8788', `:${site.port}`), folder: 'notes' });

/** Starts the site of the page on a free port. */
async function startSite(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const lines = blocksIn(text).find(({ language }) => language === 'js ../site.mjs')?.lines ?? [];
  const program = join(folder, 'site.mjs');
  const listening = `).listen(${port}, '127.0.0.1', () => process.send('listening'));`;
  const source = lines.join('\n').replaceAll(':8788', `:${port}`).replace(").listen(8788, '127.0.0.1');", listening);
  await writeFile(program, source);
  const child = fork(program, { execArgv: [] });
  await once(child, 'message');
  return { child, port };
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  await once(server, 'close');
  return port;
}
