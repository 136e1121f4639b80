// Tests the commands on an import of rollouts that the real Codex CLI made.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-codex-'));
const store = openNdjsonStore({ home: join(folder, 'home') });
const run = (...args: readonly string[]): Promise<Ran> => pretendRun(args, { store });
const fixture = (name: string): string =>
  join(import.meta.dirname, `../../../../packages/recording/fixtures/codex/${name}.jsonl`);
let main = '';
let older = '';

async function imported(name: string): Promise<string> {
  return (await run('import', fixture(name))).out.split('\n')[0] ?? '';
}

beforeAll(async () => {
  main = await imported('main');
  older = await imported('codex-0.47.0');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('`import` of a rollout of a subagent names its parent, and `sessions` shows its title', async () => {
  expect((await run('import', fixture('subagent'))).out).toContain(`a subagent of ${main}`);
  const { sessions } = JSON.parse((await run('sessions', '--tree', '--json')).out);
  expect(sessions).toContainEqual(expect.objectContaining({ title: 'count_words', depth: 1 }));
});

test('`show` lists the steps of a rollout with the tokens that Codex counted', async () => {
  const { out } = await run('show', main);
  expect(out).toMatch(/^5\s.*interrupted$/m);
  expect(out).toMatch(/^7\s.*gpt-5\.5\s+2,\d{3}\s+8,192\s+0\s/m);
});

test('`verify` accepts a rollout, which contains no request, and `why` explains its losses by its token counts', async () => {
  const verify = await run('verify', main);
  expect([verify.exit, verify.err]).toEqual([0, '']);
  const why = await run('why', main);
  expect(why.exit).toBe(0);
  expect(why.out).toMatch(
    /^step 2 at \S+, from its token counts\n {2}paid again: 10,240 tokens.+\n {2}cause: reasoning, /,
  );
  expect(why.out).toContain('The recording does not contain the requests of 7 calls');
  expect((await run('why', main, '1')).out).toContain('read all tokens that the calls before it had left in the cache');
});

test('`cost` prices the calls of a model of OpenAI', async () => {
  const { whole } = JSON.parse((await run('cost', older, '--json')).out);
  expect(whole.calls).toBe(4);
  expect((await run('cost', older)).out).toMatch(/^paid\s+\$0\.0\d+/m);
});

test('`replay` drives every call of a rollout at its recorded size', async () => {
  const { exit, out } = await run('replay', main);
  expect(exit).toBe(0);
  expect(out).toMatch(/^7 calls, 7\d,\d{3} input tokens \(sizes: recorded totals\)/);
  expect(out).toContain('0 without');
});
