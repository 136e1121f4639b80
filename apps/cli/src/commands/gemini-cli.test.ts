// Tests the commands on an import of sessions that the real Gemini CLI made.

import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-gemini-'));
const store = openNdjsonStore({ home: join(folder, 'home') });
const run = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });
const FIXTURES = join(import.meta.dirname, '../../../../packages/recording/fixtures/gemini-cli');
let compacted = '';
let parent = '';

async function imported(name: string): Promise<string> {
  return (await run('import', join(FIXTURES, name))).out.split('\n')[0] ?? '';
}

beforeAll(async () => {
  compacted = await imported('compacted.jsonl');
  parent = await imported('parent.jsonl');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('`import` of the session of a subagent names its parent', async () => {
  const [subagent = ''] = globSync('chats/*/*.jsonl', { cwd: FIXTURES });
  expect((await run('import', join(FIXTURES, subagent))).out).toContain(`a subagent of ${parent}`);
});

test('`show` lists the steps of a session with the tokens that Gemini counted', async () => {
  const { out } = await run('show', compacted);
  expect(out).toMatch(/^1\s.*gemini-2\.5-pro\s+27\s+12,\d{3}\s+0\s/m);
});

test('`verify` accepts a session, which contains no request, and `why` names the change of the model', async () => {
  const verify = await run('verify', compacted);
  expect([verify.exit, verify.err]).toEqual([0, '']);
  const why = await run('why', compacted);
  expect([why.exit, why.out]).toEqual([0, expect.stringMatching(/no call of \S+ \(3\) paid for tokens again/)]);
  const { out } = await run('why', `${await imported('main.jsonl')}-fork-1`);
  expect(out).toMatch(/paid again: 1\d,\d{3} tokens.+\n {2}cause: model, /);
});

test('`cost` prices the calls of a model of Google', async () => {
  const { whole } = JSON.parse((await run('cost', compacted, '--json')).out);
  expect(whole.calls).toBe(3);
  expect((await run('cost', compacted)).out).toMatch(/^paid\s+\$0\.0\d+/m);
});

test('`replay` drives every call of a session at its recorded size', async () => {
  const { exit, out } = await run('replay', compacted);
  expect(exit).toBe(0);
  expect(out).toMatch(/^3 calls, 3\d,\d{3} input tokens \(sizes: recorded totals\)/);
  expect(out).toContain('0 without');
});
