// How full a session is that was recorded elsewhere: by what its last answer counted, and the catalog's row of its model.

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

/** A transcript of pi in which a long file is read in two steps; the second answer was counted so. */
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

test('is what its last answer counted, of the window of its model', async () => {
  const { id, run } = await imported({});
  const { out } = await run('show', id);
  expect(out).toContain('the next request: about 168,000 of 200,000 tokens (84%), warning');
  const { out: json } = await run('show', id, '--json');
  expect(JSON.parse(json).gauge).toMatchObject({ input: 168_000, limit: 200_000, tier: 'warning' });
});

test('is a reason to compact: the front that nobody recorded is what its first count leaves', async () => {
  const { id, run } = await imported({});
  const { out, exit } = await run('compact', id, '--dry-run', '--json', '--tail-tokens', '1000');
  expect(exit).toBe(0);
  const { outcome, sizes } = JSON.parse(out);
  expect([outcome, sizes.before]).toEqual(['planned', 168_000]);
  expect(sizes.parts.front).toBeGreaterThan(20_000);
  expect(sizes.parts.front).toBeLessThan(20_050);
  expect(sizes.after).toBeGreaterThan(sizes.parts.front);
});

test('shows the length from which its model prices all of a request dearer, and the plan names that it gets below it', async () => {
  const { id, run } = await imported({ model: 'claude-haiku-5-5' });
  const { out } = await run('show', id);
  expect(out).toContain('; above 100,000 tokens, where the whole request costs more');
  const { out: plan } = await run('compact', id, '--dry-run', '--tail-tokens', '1000');
  expect(plan).toContain('it stays below 100,000 tokens, above which all of it would cost more');
  const { out: json } = await run('compact', id, '--dry-run', '--json', '--tail-tokens', '1000');
  expect(JSON.parse(json).cliff).toBe(100_000);
});

test('goes by the answer that was counted before it where the last one was not, and estimates the rest', async () => {
  const { id, run } = await imported({ usage: {} });
  const { out: json } = await run('show', id, '--json');
  const { gauge } = JSON.parse(json);
  // 20,070 tokens were counted; 60,000 short words came since.
  expect(gauge.input).toBeGreaterThan(60_000);
  expect(gauge.input).toBeLessThan(120_000);
  expect((await run('show', id)).out).toContain(
    `the next request: about ${gauge.input.toLocaleString('en-US')} of 200,000`,
  );
});

test('has an unknown limit where no row is that of the model, and is not compacted', async () => {
  const { id, run } = await imported({ model: 'a-model-of-nobody' });
  const { out } = await run('show', id);
  expect(out).toContain('the next request: about 168,000 of an unknown limit of tokens');
  const { err, exit } = await run('compact', id, '--dry-run');
  expect([exit, err]).toEqual([3, expect.stringContaining('which the catalog does not know')]);
});
