// Tests the life of a server in real processes: it is ended in the middle of an answer and starts again, another
// process has a session open, and folders are refused or not trusted.

import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import type { ScenarioStep } from '@tidemark/simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import { calls, openStage } from '../../tests/scenario.ts';
import type { Stage } from '../../tests/scenario.ts';
import type { ServedProcess } from '../../tests/served.ts';
import { startServer } from '../../tests/served.ts';

let stage: Stage;
let servers: ServedProcess[];

beforeEach(() => {
  stage = openStage();
  servers = [];
});

afterEach(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')));
  stage.clear();
});

async function serve(...steps: readonly ScenarioStep[]): Promise<ServedProcess> {
  const args = ['--provider', 'simulator', '--scenario', stage.scenario(...steps)];
  const server = await startServer({ ...stage, args });
  servers.push(server);
  return server;
}

async function kindsOf(server: ServedProcess, session: string): Promise<readonly string[]> {
  const { records } = (await server.send('GET', `/sessions/${session}/records?limit=1000`)).body;
  return records.map(({ kind }: { readonly kind: string }) => kind);
}

const count = (kinds: readonly string[], kind: string): number => kinds.filter((one) => one === kind).length;

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s in the middle of an answer, the next server resumes the turn and runs no call again',
  async (signal) => {
    const long = 'The answer is long. '.repeat(200);
    const first = await serve(
      { answer: calls('write', { path: 'made.txt', content: 'made\n' }) },
      { answer: { text: long }, fault: { kind: 'silence', afterEvents: 6 } },
    );
    const { session } = (await first.send('POST', '/sessions', { mode: 'auto' })).body;
    await first.send('POST', `/sessions/${session}/prompt`, { text: 'Make it.' });
    await expect
      .poll(async () => count(await kindsOf(first, session), 'request.prepared'), { timeout: 30_000 })
      .toBe(2);
    await first.end(signal);
    const second = await serve({ answer: { text: 'It is made.' } });
    const before = (await second.send('GET', `/sessions/${session}`)).body;
    expect(before).toMatchObject({ open: false, running: false, resumable: true, mode: 'auto' });
    if (signal === 'SIGTERM') expect(before.turn).toMatchObject({ open: false, outcome: 'interrupted' });
    else expect(before.turn).toMatchObject({ open: true });
    expect((await second.send('POST', `/sessions/${session}/resume`)).status).toBe(202);
    const after = await second.until(session, ({ running }) => running === false);
    expect(after).toMatchObject({ turn: { outcome: 'completed' }, model: before.model, provider: before.provider });
    const kinds = await kindsOf(second, session);
    expect([count(kinds, 'tool.started'), count(kinds, 'tool.returned')]).toEqual([1, 1]);
    expect((await second.send('GET', `/sessions/${session}/verify`)).body).toMatchObject({ ok: true });
    expect(readFileSync(join(stage.folder, 'made.txt'), 'utf8')).toBe('made\n');
  },
);

test('a session that another process has open is shown, and a command is refused with the next step', async () => {
  const first = await serve({ answer: { text: 'Hello.' } }, { answer: { text: 'Again.' } });
  const { session } = (await first.send('POST', '/sessions', {})).body;
  await first.send('POST', `/sessions/${session}/prompt`, { text: 'Hello.' });
  await first.until(session, ({ running }) => running === false);
  const second = await serve({ answer: { text: 'Never.' } });
  expect((await second.send('GET', `/sessions/${session}/messages`)).body.messages).toHaveLength(2);
  expect(await second.send('POST', `/sessions/${session}/prompt`, { text: 'Mine.' })).toMatchObject({
    status: 409,
    body: { error: { code: 'log/locked', next: expect.stringContaining('fork') } },
  });
  expect((await second.send('POST', `/sessions/${session}/fork`, {})).status).toBe(201);
});

test('a fork reads the cache of its session, because all sessions have one simulator', async () => {
  const server = await serve({ answer: { text: 'Hello.' } }, { answer: { text: 'Again.' } });
  const { session } = (await server.send('POST', '/sessions', {})).body;
  await server.send('POST', `/sessions/${session}/prompt`, { text: 'Hello. '.repeat(2_000) });
  await server.until(session, ({ running }) => running === false);
  const fork = (await server.send('POST', `/sessions/${session}/fork`, {})).body.session;
  await server.send('POST', `/sessions/${fork}/prompt`, { text: 'Again.' });
  await server.until(fork, ({ running }) => running === false);
  const { calls: answered } = (await server.send('GET', `/sessions/${fork}/calls`)).body;
  expect(answered).toHaveLength(1);
  expect(answered[0].tokens.read).toBeGreaterThan(2_000);
  expect(answered[0].again).toBe(0);
});

test('the log names the server as the client of a prompt', async () => {
  const server = await serve({ answer: { text: 'Hello.' } });
  const { session } = (await server.send('POST', '/sessions', {})).body;
  await server.send('POST', `/sessions/${session}/prompt`, { text: 'Hello.' });
  const { records } = (await server.send('GET', `/sessions/${session}/records?limit=1000`)).body;
  expect(records.find(({ kind }: { readonly kind: string }) => kind === 'prompt.given').data.presenter).toBe('server');
});

test('a link that leads out of the served folder is refused, and a folder inside it is used', async () => {
  const server = await serve({ answer: { text: 'Hello.' } });
  mkdirSync(join(stage.folder, 'inside'));
  symlinkSync('/', join(stage.folder, 'outside'));
  const create = (folder: string) => server.send('POST', '/sessions', { folder });
  expect(await create(join(stage.folder, 'inside'))).toMatchObject({
    status: 201,
    body: { workspace: join(stage.folder, 'inside') },
  });
  for (const folder of ['outside', 'outside/etc', '../', 'inside/../../..'])
    expect(await create(join(stage.folder, folder))).toMatchObject({
      status: 403,
      body: { error: { code: 'server/folder-refused' } },
    });
  expect((await create('inside')).status).toBe(403);
  expect((await server.send('GET', '/sessions')).body.total).toBe(1);
});

test('a session whose folder is gone is shown, and a command says that the folder does not exist', async () => {
  const server = await serve({ answer: { text: 'Hello.' } });
  const gone = join(stage.folder, 'gone');
  mkdirSync(gone);
  const { session } = (await server.send('POST', '/sessions', { folder: gone })).body;
  await server.end('SIGTERM');
  rmSync(gone, { recursive: true });
  const next = await serve({ answer: { text: 'Hello.' } });
  expect((await next.send('GET', `/sessions/${session}`)).body).toMatchObject({ workspace: gone });
  expect(await next.send('POST', `/sessions/${session}/prompt`, { text: 'Hello.' })).toMatchObject({
    status: 422,
    body: { error: { code: 'cli/not-found', message: expect.stringContaining('does not exist') } },
  });
});

test('a folder that is not trusted brings no settings and no own agents', async () => {
  mkdirSync(join(stage.folder, '.tidemark', 'agents'), { recursive: true });
  stage.write('.tidemark/config.json', JSON.stringify({ agent: 'evil' }));
  stage.write('.tidemark/agents/evil.md', '---\nname: evil\ndescription: Evil.\n---\nDo evil.\n');
  const server = await serve({ answer: { text: 'Hello.' } });
  const created = await server.send('POST', '/sessions', {});
  expect(created.status).toBe(201);
  expect(created.body.agent).toBeUndefined();
  expect(await server.send('PUT', `/sessions/${created.body.session}/agent`, { agent: 'evil' })).toMatchObject({
    status: 422,
    body: { error: { code: 'agent/unknown-agent' } },
  });
});

test('a new session keeps its effort and mode when the server starts again before the first prompt', async () => {
  const server = await serve({ answer: { text: 'Hello.' } });
  const choices = { effort: 'low', mode: 'read-only' };
  const { session } = (await server.send('POST', '/sessions', choices)).body;
  await server.end('SIGTERM');
  const next = await serve({ answer: { text: 'Hello.' } });
  await next.send('POST', `/sessions/${session}/prompt`, { text: 'Hello.' });
  const after = await next.until(session, ({ running }) => running === false);
  expect(after.mode).toBe('read-only');
  expect(await kindsOf(next, session)).toContain('reasoning.set');
});

test('a new session and a fork keep their model when the server is killed before their first prompt', async () => {
  const first = await serve({ answer: { text: 'Hello.' } });
  const { session: parent, model: usual } = (await first.send('POST', '/sessions', {})).body;
  await first.send('POST', `/sessions/${parent}/prompt`, { text: 'Hello.' });
  await first.until(parent, ({ running }) => running === false);
  const other = 'claude-opus-4-8';
  const created = (await first.send('POST', '/sessions', { model: other })).body;
  const fork = (await first.send('PUT', `/sessions/${parent}/model`, { model: other })).body;
  expect([usual, created.model, fork.model]).toEqual(['claude-sonnet-5-5', other, other]);
  await first.end('SIGKILL');
  const next = await serve({ answer: { text: 'Again.' } }, { answer: { text: 'Again.' } });
  for (const { session } of [created, fork]) {
    expect((await next.send('GET', `/sessions/${session}`)).body).toMatchObject({ model: other, open: false });
    await next.send('POST', `/sessions/${session}/prompt`, { text: 'Again.' });
    const after = await next.until(session, ({ running }) => running === false);
    expect(after).toMatchObject({ model: other, turn: { outcome: 'completed' } });
    const { calls: answered } = (await next.send('GET', `/sessions/${session}/calls`)).body;
    expect(answered.map(({ model }: { readonly model: string }) => model)).toEqual([other]);
  }
});

test('a port that is in use, and an address or host that is refused, are refusals with the next step', async () => {
  const { url } = await serve();
  const refuse = async (...args: readonly string[]): Promise<Ran> =>
    pretendRun(['serve', '--provider', 'simulator', ...args], {
      folder: stage.folder,
      environment: { TIDEMARK_HOME: stage.home },
    });
  for (const [args, said] of [
    [['--port', new URL(url).port], 'cannot listen on port'],
    [['--port', '0', '--host', '0.0.0.0'], 'can be reached by other machines'],
    [['--port', '0', '--allow-host', 'a/b'], 'is not a host that can be allowed'],
  ] as const) {
    const ran = await refuse(...args);
    expect(ran).toMatchObject({ exit: 3, err: expect.stringContaining(said) });
    expect(ran.err).not.toMatch(/^ +at /m);
    expect(ran.err).toMatch(/^next: (?!this is a bug)/m);
  }
});
