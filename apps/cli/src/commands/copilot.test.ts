// Tests the commands on an import of sessions that the real Copilot CLI made.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-copilot-'));
const store = openNdjsonStore({ home: join(folder, 'home') });
const run = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });
const fixture = (name: string): string =>
  join(import.meta.dirname, `../../../../packages/recording/fixtures/copilot/${name}.jsonl`);
let main = '';
let older = '';

async function imported(name: string): Promise<string> {
  return (await run('import', fixture(name))).out.split('\n')[0] ?? '';
}

beforeAll(async () => {
  main = await imported('main');
  older = await imported('copilot-1.0.60');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('`sessions` shows the title of a subagent of Copilot below its session', async () => {
  const { sessions } = JSON.parse((await run('sessions', '--tree', '--json')).out);
  expect(sessions).toContainEqual(expect.objectContaining({ title: 'count-words', depth: 1 }));
});

test('`show` lists the steps with the tokens that Copilot counted', async () => {
  const { out } = await run('show', main);
  expect(out).toMatch(/^0\s.*claude-sonnet-4-5\s+0\s+0\s+\d,\d{3}\s/m);
  expect(out).toMatch(/^6\s.*interrupted$/m);
});

test('`verify` accepts a session of Copilot, and `why` explains its change of the model from the token counts', async () => {
  const verify = await run('verify', main);
  expect([verify.exit, verify.err]).toEqual([0, '']);
  const why = await run('why', main);
  expect([why.exit, why.out]).toEqual([0, expect.stringContaining('cause: model, the model changed')]);
});

test('`cost` prices the calls with counts, and reports the calls of an older version as uncounted', async () => {
  expect((await run('cost', main)).out).toMatch(/^paid\s+≥ \$0\.\d+/m);
  const { out } = await run('cost', older);
  expect(out).toMatch(/^paid\s+unknown/m);
  expect(out).toContain('4 calls without token counts, not in the sums');
});

test('`replay` drives every call of a session at its recorded size', async () => {
  const { exit, out } = await run('replay', main);
  expect(exit).toBe(0);
  expect(out).toMatch(/^9 calls, \d\d,\d{3} input tokens \(sizes: recorded totals\)/);
  expect(out).toMatch(/^breaks\s.*, 0 without$/m);
});
