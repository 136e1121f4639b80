// Tests the commands on an import of sessions that the real OpenCode made.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-opencode-'));
const store = openNdjsonStore({ home: join(folder, 'home') });
const run = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });
const fixture = (name: string): string =>
  join(import.meta.dirname, `../../../../packages/recording/fixtures/opencode/${name}`);
let main = '';

beforeAll(async () => {
  main = (await run('import', fixture('main.json'))).out.split('\n')[0] ?? '';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('`import` of a database lists its sessions, and imports the one that `#` names', async () => {
  const { exit, err } = await run('import', fixture('opencode.db'));
  expect(exit).not.toBe(0);
  const paths = err.match(/\S+opencode\.db#ses_\w+/g) ?? [];
  expect(paths).toHaveLength(3);
  const outs = await Promise.all(paths.map(async (path) => (await run('import', path)).out));
  expect(outs.filter((out) => out.includes('it was already imported'))).toEqual([expect.stringContaining(main)]);
  expect(outs).toContainEqual(expect.stringContaining(`a subagent of ${main}`));
});

test('`show` lists the steps of a session with the tokens that OpenCode counted', async () => {
  const { out } = await run('show', main);
  expect(out).toMatch(/^0\s.*claude-sonnet-4-5\s+0\s+0\s+7,\d{3}\s/m);
  expect(out).toMatch(/gpt-5\.5\s+7,\d{3}\s+0\s+0\s/);
});

test('`verify` accepts a session of OpenCode, which contains no request, and `why` explains its token counts', async () => {
  const verify = await run('verify', main);
  expect([verify.exit, verify.err]).toEqual([0, '']);
  const why = await run('why', main);
  expect([why.exit, why.out]).toEqual([0, expect.stringContaining('cause: model, the model changed')]);
});

test('`cost` and `replay` count every call of a session of OpenCode', async () => {
  const { whole } = JSON.parse((await run('cost', main, '--json')).out);
  expect(whole.calls).toBe(9);
  const { exit, out } = await run('replay', main);
  expect(exit).toBe(0);
  expect(out).toMatch(/^8 calls, \d\d,\d{3} input tokens \(sizes: recorded totals\)/);
  expect(out).toContain('0 without');
});

test('`audit` reads each session of the database and of the folder once, and only changed sessions again', async () => {
  const home = join(folder, 'opencode');
  mkdirSync(home);
  cpSync(fixture('opencode.db'), join(home, 'opencode.db'));
  expect(await audit()).toEqual({ agents: ['opencode'], sessions: 3, read: 3 });
  cpSync(fixture('storage'), join(home, 'storage'), { recursive: true });
  expect(await audit()).toEqual({ agents: ['opencode'], sessions: 5, read: 2 });
  const client = new DatabaseSync(join(home, 'opencode.db'));
  client.exec("UPDATE session SET time_updated = time_updated + 1 WHERE title = 'The shop'");
  client.close();
  expect(await audit()).toEqual({ agents: ['opencode'], sessions: 5, read: 1 });
});

async function audit(): Promise<object> {
  const environment = { XDG_DATA_HOME: folder, TIDEMARK_HOME: join(folder, 'audit') };
  const { out } = await pretendRun(['audit', '--since', '2026-01-01', '--json'], { environment });
  const { agents, sums, read } = JSON.parse(out);
  return {
    agents: agents.map(({ name }: { readonly name: string }) => name),
    sessions: sums.sessions,
    read: read.filesRead,
  };
}
