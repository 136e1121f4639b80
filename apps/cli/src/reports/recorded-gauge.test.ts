// Tests the gauge of an imported session. It uses the usage of the last answer, and the catalog row of the session's
// model.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';

const home = mkdtempSync(join(tmpdir(), 'tidemark-recorded-gauge-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Line {
  readonly model?: string;
  readonly usage?: object;
}

let files = 0;
const COUNTED = { input: 3, output: 50, cacheRead: 120_000, cacheWrite: 47_947 };

/**
 * Imports a transcript of the agent pi in which a long file is read in two steps. `usage` is the usage of the second
 * answer.
 */
async function imported({ model = 'claude-sonnet-4-5', usage = COUNTED }: Line): Promise<{
  readonly id: string;
  readonly run: (...args: readonly string[]) => ReturnType<typeof pretendRun>;
}> {
  const store = openNdjsonStore({ home: join(home, `${files}`) });
  const at = (second: number): string => `2026-02-03T04:05:${String(second).padStart(2, '0')}.000Z`;
  const said = (second: number, message: object): object => ({ type: 'message', timestamp: at(second), message });
  const text = (words: string): readonly object[] => [{ type: 'text', text: words }];
  const answered = (second: number, counted: object, content: readonly object[]): object =>
    said(second, { role: 'assistant', content, provider: 'anthropic', model, usage: counted, stopReason: 'stop' });
  const first = { input: 3, output: 20, cacheRead: 0, cacheWrite: 20_047 };
  const rows = [
    { type: 'session', id: `s${files}`, timestamp: at(0), cwd: '/w', provider: 'anthropic', modelId: model },
    said(1, { role: 'user', content: text('go '.repeat(16)) }),
    answered(2, first, text('I read.')),
    said(3, { role: 'user', content: text('seen '.repeat(60_000)) }),
    answered(4, usage, text('I have read it, and it is about nothing but what was seen there.')),
  ];
  const path = join(home, `${files}.jsonl`);
  writeFileSync(path, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  files += 1;
  const { out } = await pretendRun(['import', path, '--json'], { store });
  const id = /"session":\s*"([^"]+)"/.exec(out)?.[1] ?? out;
  return { id, run: (...args) => pretendRun(args, { store }) };
}

test('the gauge is the usage of the last answer in the window of its model', async () => {
  const { id, run } = await imported({});
  const { out } = await run('show', id);
  expect(out).toContain('the next request: about 168,000 of 200,000 tokens (84%), warning');
  const { out: json } = await run('show', id, '--json');
  expect(JSON.parse(json).gauge).toMatchObject({ input: 168_000, limit: 200_000, tier: 'warning' });
});

test('`compact` plans for an imported session, and computes the unrecorded front from the first usage', async () => {
  const { id, run } = await imported({});
  const { out, exit } = await run('compact', id, '--dry-run', '--json', '--tail-tokens', '1000');
  expect(exit).toBe(0);
  const { outcome, sizes } = JSON.parse(out);
  expect([outcome, sizes.before]).toEqual(['planned', 168_000]);
  expect(sizes.parts.front).toBeGreaterThan(20_000);
  expect(sizes.parts.front).toBeLessThan(20_050);
  expect(sizes.after).toBeGreaterThan(sizes.parts.front);
});

test('`show` prints the price cliff of the model, and the compaction plan stays below it', async () => {
  const { id, run } = await imported({ model: 'claude-haiku-5-5' });
  const { out } = await run('show', id);
  expect(out).toContain('; above 100,000 tokens, where the whole request costs more');
  const { out: plan } = await run('compact', id, '--dry-run', '--tail-tokens', '1000');
  expect(plan).toContain('it stays below 100,000 tokens; above that, the whole request costs more');
  const { out: json } = await run('compact', id, '--dry-run', '--json', '--tail-tokens', '1000');
  expect(JSON.parse(json).cliff).toBe(100_000);
});

test('the gauge uses an earlier answer if the last one has no usage, and estimates what came after it', async () => {
  const { id, run } = await imported({ usage: {} });
  const { out: json } = await run('show', id, '--json');
  const { gauge } = JSON.parse(json);
  // The earlier answer counted 20,070 tokens. After it, 60,000 short words were added.
  expect(gauge.input).toBeGreaterThan(60_000);
  expect(gauge.input).toBeLessThan(120_000);
  expect((await run('show', id)).out).toContain(
    `the next request: about ${gauge.input.toLocaleString('en-US')} of 200,000`,
  );
});

test('a model without a catalog row has an unknown limit, and `compact` refuses its session', async () => {
  const { id, run } = await imported({ model: 'a-model-of-nobody' });
  const { out } = await run('show', id);
  expect(out).toContain('the next request: about 168,000 of an unknown limit of tokens');
  const { err, exit } = await run('compact', id, '--dry-run');
  expect([exit, err]).toEqual([3, expect.stringContaining('is not in the catalog')]);
});
