// A day of work on a copy of this repository, by the command and against the simulator. A scripted model uses everything
// that daily work needs, and the cost is compared with the ideal cost of the same calls.

import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Accounts } from '@tidemark/agent';
import { addSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { Recorded, SessionId } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { ListeningSimulator } from '@tidemark/simulator';
import { createSimulator, defineScenario } from '@tidemark/simulator';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daysWork, REVIEW } from '../tests/days-work.ts';
import type { Ran } from '../tests/pretend-run.ts';
import { pretendRun } from '../tests/pretend-run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const EVERYTHING = join(ROOT, 'node_modules', '.bin', 'mcp-server-everything');
const MODEL = 'claude-sonnet-5-5';

const HOOK = `
let text = '';
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { event, tool, arguments: given } = JSON.parse(text);
  const pushes = event === 'before-tool' && JSON.stringify(given).includes('git push');
  if (pushes) console.log(JSON.stringify({ deny: 'pushing is not allowed' }));
  if (event === 'after-tool') console.log(JSON.stringify({ note: 'Check the spelling of ' + tool + '.' }));
});
`;

const REVIEWER = `---
name: reviewer
description: Reviews a text in one line.
model: claude-haiku-4-5
tools: read, grep
---
You review texts. Report one line.
`;

const SERVER = `
const server = require('node:http').createServer(({ url }, response) => {
  console.log('\\u001b[32masked\\u001b[0m ' + url);
  response.end('it works');
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
`;

const PAGE = `<!doctype html><title>The guide</title><article><h1>The guide</h1><p>Appending is the only way to write a record. Every record is final, and a barrier flushes all records before it. This page describes both.</p></article>`;

const RESULTS = {
  web: { results: [{ title: 'Crash consistency', url: 'https://example.com/', description: 'About fsync.' }] },
};

let root = '';
let folder = '';
let pages: Server;
let simulator: ListeningSimulator;
let origin = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-day-'));
  folder = join(root, 'tidemark');
  await promisify(execFile)('git', ['clone', '-q', '--depth', '1', `file://${ROOT}`, folder]);
  await writeFile(join(folder, 'notes.txt'), 'We recieve records\nand keep them seperate.\n');
  await copyFile(new URL('../tests/fixtures/specification.pdf', import.meta.url), join(folder, 'specification.pdf'));
  await writeFile(join(folder, 'server.cjs'), SERVER);
  await mkdir(join(folder, '.agents', 'agents'), { recursive: true });
  await writeFile(join(folder, '.agents', 'agents', 'reviewer.md'), REVIEWER);
  await writeFile(join(folder, 'AGENTS.md'), 'Write plain English. Run no tests.\n');
  pages = createServer(({ url = '' }, response) => {
    const search = url.startsWith('/res/v1');
    response.writeHead(200, { 'content-type': search ? 'application/json' : 'text/html' });
    response.end(search ? JSON.stringify(RESULTS) : PAGE);
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const address = pages.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  await writeFile(join(root, 'hook.mjs'), HOOK);
});

afterAll(async () => {
  await simulator?.close();
  pages?.close();
  await rm(root, { recursive: true, force: true });
});

async function writeSettings(): Promise<void> {
  const run = [process.execPath, join(root, 'hook.mjs')];
  const settings = {
    hooks: [
      { on: 'before-tool', run, tools: ['bash'], name: 'no-push' },
      { on: 'after-tool', run, tools: ['write', 'edit'], name: 'spelling' },
    ],
    web: { allowPrivate: [new URL(origin).host], search: 'brave', searchUrl: `${origin}/res/v1`, searchPrice: '0.005' },
    mcp: { servers: { everything: { command: EVERYTHING, args: [] } } },
    commands: { variables: ['DAY_VARIABLE'] },
  };
  await mkdir(join(root, 'config', 'tidemark'), { recursive: true });
  await writeFile(join(root, 'config', 'tidemark', 'tidemark.config.json'), JSON.stringify(settings));
}

function tidemark(...args: readonly string[]): Promise<Ran> {
  const environment = {
    PATH: process.env['PATH'],
    HOME: root,
    TIDEMARK_HOME: join(root, 'home'),
    XDG_CONFIG_HOME: join(root, 'config'),
    ANTHROPIC_API_KEY: 'sk-ant-api03-day',
    BRAVE_API_KEY: 'brave-key-of-the-day',
    DAY_VARIABLE: 'a variable of the day',
  };
  return pretendRun(args, { folder, environment });
}

test('a day of work uses every tool and costs at most 2 % more than ideal', { timeout: 240_000 }, async () => {
  await writeSettings();
  const day = daysWork({ origin, port: 20_000 + (process.pid % 20_000) });
  const scenario = defineScenario({
    routes: [
      { name: 'review', match: { model: 'claude-haiku-*' }, steps: REVIEW },
      { name: 'day', match: { model: 'claude-sonnet-*' }, steps: day.flatMap(({ answers }) => answers) },
    ],
  });
  const made = createSimulator({ scenario, explainMisses: true });
  simulator = await made.listen();
  for (const [index, { prompt, flags = [] }] of day.entries()) {
    const session = index === 0 ? ['--model', MODEL] : ['--continue'];
    const where = ['--base-url', simulator.url, '--trust', '--allow-unsandboxed', '--mode', 'auto'];
    const ran = await tidemark('run', prompt, ...session, ...where, ...flags);
    expect(ran.err).toContain('completed');
    expect(ran.exit).toBe(0);
  }
  expect(made.check()).toEqual([]);
  const store = openNdjsonStore({ home: join(root, 'home') });
  const { session, records } = await dayOf(store);
  expectEverything(records);
  const { out: verified, exit } = await tidemark('verify', session);
  expect(exit, verified).toBe(0);
  const { sessions } = await accountsOf(store);
  const ratios = sessions.map(({ session: id, account: { calls, compared } }) => {
    const ratio = Number(compared.paid) / Number(compared.ideal);
    return { id, calls, paid: compared.paid, uncached: compared.uncached, ideal: compared.ideal, ratio };
  });
  // The figures of the day, for the reader of a test run.
  console.log(
    ratios
      .map(({ id, ...figures }) => `${id === session ? 'the day' : 'the reviewer'}: ${JSON.stringify(figures)}`)
      .join('\n'),
  );
  expect(ratios.find(({ id }) => id === session)?.ratio).toBeLessThanOrEqual(1.02);
});

/** Returns the session of the person, and its records. The other session is that of the reviewer. */
async function dayOf(
  store: NdjsonStore,
): Promise<{ readonly session: SessionId; readonly records: readonly Recorded[] }> {
  for (const { session: id } of (await store.sessions()).sessions) {
    const records: Recorded[] = [];
    for await (const record of store.read(id)) records.push(record);
    const isChild = records.some(({ kind, data }) => kind === 'session.created' && 'startedBy' in data);
    if (!isChild) return { session: id, records };
  }
  throw new Error('there is no session of the day');
}

async function accountsOf(store: NdjsonStore): Promise<Accounts> {
  const catalog = defaultCatalog();
  let accounts = NO_ACCOUNTS;
  for (const { session: id } of (await store.sessions()).sessions)
    accounts = await addSession(accounts, store, id, {
      by: 'session',
      rowOf: (provider, model) => findModel(catalog, model, provider),
    });
  return accounts;
}

/** Checks that the day used each part, and that no part broke the cache. */
function expectEverything(records: readonly Recorded[]): void {
  expect(records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? [data.cause] : []))).toEqual(['initial']);
  expect(records.filter(({ kind }) => kind === 'turn.ended')).toHaveLength(7);
  const kinds = new Set(records.map(({ kind }) => kind));
  for (const kind of ['reasoning.changed', 'memory.changed', 'tool.charged', 'process.started', 'process.ended'])
    expect(kinds).toContain(kind);
  expect(records.find(({ kind }) => kind === 'tool.charged')?.data).toMatchObject({ cost: '0.005' });
  expect(records.find(({ kind, data }) => kind === 'permission.decided' && data.by === 'hook')?.data).toMatchObject({
    decision: 'denied',
    rule: expect.stringContaining('no-push'),
  });
  expect(records.find(({ kind }) => kind === 'subagent.started')?.data).toMatchObject({ agent: { name: 'reviewer' } });
  const text = JSON.stringify(records);
  expect(text).toContain('Check the spelling of edit.');
  expect(text).toContain('Write plain English. Run no tests.');
  expect(text).not.toContain('brave-key-of-the-day');
}
