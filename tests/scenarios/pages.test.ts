// Pages of files and of long outputs, as the model sees them. Each page ends with how to read the next one, and no page
// is cut again when its result is committed. The model in these tests follows the last line of each page exactly.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';
import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';

const MODEL = 'claude-sonnet-4-5-20250929';

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];

interface Read {
  /** Texts of the tool results that the model received, in the order of the requests. */
  readonly results: readonly string[];
  /** Records of these results in the log. */
  readonly returned: readonly Extract<Recorded, { readonly kind: 'tool.returned' }>[];
}

interface Setting {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly window?: number;
}

/**
 * Plays a model that makes the calls returned by `next`. The function `next` gets the results of the previous calls.
 * The turn ends when it returns no calls.
 */
async function play(setting: Setting, next: (last: readonly string[]) => readonly Call[]): Promise<Read> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pages-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(setting.files)) await writeFile(join(folder, name), content);
  const results: string[] = [];
  const onRequest = ({ toolResults }: ReceivedRequest): AnswerPlan => {
    const last = toolResults.map(({ text }) => text);
    results.push(...last);
    const calls = next(last);
    if (calls.length === 0) return { answer: { text: 'Read.' } };
    return { answer: { calls: calls.map(([name, input]) => ({ name, arguments: input })) } };
  };
  const server = await createSimulator({ onRequest }).listen();
  const { window, environment } = setting;
  const agent = createAgent({
    model: MODEL,
    apiKey: 'not-a-key',
    baseURL: server.url,
    workspace: folder,
    permissions: { mode: 'auto', allowUnsandboxed: true },
    compaction: { when: 'manual' },
    ...(environment !== undefined && { host: { environment } }),
    ...(window !== undefined && { modelOptions: { catalog: windowOf(window) } }),
  });
  const returned: Read['returned'][number][] = [];
  try {
    const session = await agent.open();
    expect(await session.prompt('Read it all.')).toMatchObject({ outcome: 'completed', error: undefined });
    for await (const record of agent.log.read(session.id)) if (record.kind === 'tool.returned') returned.push(record);
  } finally {
    await agent.close();
    await server.close();
  }
  return { results, returned };
}

function windowOf(tokens: number): object {
  const limits = { inputLimit: tokens - 8_000, window: { tokens, sharedWithOutput: 'refused' }, outputLimit: 8_000 };
  return { revision: 1, rows: [{ provider: 'anthropic', model: MODEL, ...limits }] };
}

const seq = (count: number): string => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');

/** Reads the arguments for the next page from the last line of a page. Returns `undefined` on the last page. */
function readingOn(page: string): Readonly<Record<string, number>> | undefined {
  const next = /; read on with offset (\d+)(?: and skip_bytes (\d+))?[^\n]*\]$/m.exec(page);
  if (next === null) return undefined;
  return { offset: Number(next[1]), ...(next[2] !== undefined && { skip_bytes: Number(next[2]) }) };
}

/** Joins the contents of the pages. Omits the last line of each page, which is in brackets. */
function linesOf(pages: readonly string[]): string {
  return pages.map((page) => page.replace(/\[[^\n]*\]$/, '')).join('');
}

/**
 * Returns a function `next` for `play`. It reads a file from its beginning, and then reads each next page with the
 * arguments in the last line of the previous page.
 */
function readsOn(path: string): (last: readonly string[]) => readonly Call[] {
  let asked = 0;
  return ([last]) => {
    asked += 1;
    if (asked === 1) return [['read', { path }]];
    if (asked > 40) return [];
    const next = readingOn(last ?? '');
    return next === undefined ? [] : [['read', { path, ...next }]];
  };
}

describe('a page of `read`', () => {
  test('of a file of 2,001 lines ends with how to read the next page, and is not cut again (seq 1 2001)', async () => {
    const { results, returned } = await play({ files: { numbers: seq(2_001) } }, readsOn('numbers'));
    expect(results.map((page) => page.split('\n').at(-1))).toEqual([
      '[lines 1-1999 of 2001; read on with offset 2000]',
      '[lines 2000-2001 of 2001]',
    ]);
    expect(linesOf(results)).toBe(seq(2_001));
    expect(returned.map(({ data }) => data.shaping)).toEqual([undefined, undefined]);
  });

  test('of a file of 2,000 lines contains the whole file', async () => {
    const { results } = await play({ files: { numbers: seq(2_000) } }, readsOn('numbers'));
    expect(results).toEqual([seq(2_000)]);
  });

  test.each([
    ['lines end in CRLF', seq(4_100).replaceAll('\n', '\r\n'), seq(4_100)],
    ['lines hold control characters', '\u001b[1mx\u001b[0m\n'.repeat(4_100), '␛[1mx␛[0m\n'.repeat(4_100)],
    [
      'every character is a control character',
      `${'\u0001'.repeat(90)}\n`.repeat(1_000),
      `${'␁'.repeat(90)}\n`.repeat(1_000),
    ],
    [
      'bytes are no UTF-8',
      Buffer.from(`${'\xff'.repeat(99)}\n`.repeat(1_000), 'latin1'),
      `${'\uFFFD'.repeat(99)}\n`.repeat(1_000),
    ],
  ])('is not cut again if %s', async (_, content, shown) => {
    const { results, returned } = await play({ files: { odd: content } }, readsOn('odd'));
    expect(returned.filter(({ data }) => data.shaping !== undefined)).toEqual([]);
    const pages = results.map((page) => page.replace(/\n\[Control characters[^\n]*\]$/, ''));
    // Compares a boolean instead of the texts, because a difference between the texts would print megabytes.
    expect({ pages: pages.length, whole: linesOf(pages) === shown }).toMatchObject({ whole: true });
  });

  test('is not cut again if a placeholder is longer than the secret that it replaces', async () => {
    const value = ['pa55', 'w0rd', 'x9y8'].join('-');
    const environment = { A_VERY_LONG_NAME_OF_A_VARIABLE_THAT_HOLDS_A_SECRET_TOKEN: value };
    const { results, returned } = await play(
      { files: { keys: `${value}\n`.repeat(1_900) }, environment },
      readsOn('keys'),
    );
    expect(returned.filter(({ data }) => data.shaping !== undefined)).toEqual([]);
    expect(linesOf(results).split('\n')).toHaveLength(1_901);
    expect(results.join('')).not.toContain(value);
  });

  test.each([64_000, 32_000, 16_000])('fits the smaller page limit of a window of %i tokens', async (window) => {
    const { results, returned } = await play({ files: { numbers: seq(1_500) }, window }, readsOn('numbers'));
    expect(returned.filter(({ data }) => data.shaping !== undefined)).toEqual([]);
    expect(linesOf(results)).toBe(seq(1_500));
  });

  test('fits its share if ten results arrive together and little room is left', async () => {
    const ten = Array.from({ length: 10 }, (_, index): Call => ['read', { path: 'numbers', offset: 1 + index }]);
    let asked = false;
    const { results, returned } = await play({ files: { numbers: seq(9_000) }, window: 40_000 }, () => {
      const calls = asked ? [] : ten;
      asked = true;
      return calls;
    });
    expect(results).toHaveLength(10);
    expect(results.map((page) => readingOn(page) !== undefined)).toEqual(ten.map(() => true));
    expect(returned.filter(({ data }) => data.shaping !== undefined)).toEqual([]);
  });
});

/** Matches the line that ends a cut output. */
const CUT = /use output_read with output ([0-9a-f]{64})/;

test('a page of `output_read` ends with how to read the next page, and is not cut again (seq 1 5000)', async () => {
  let output: string | undefined;
  let asked = 0;
  const { results, returned } = await play({ files: {} }, ([last = '']) => {
    if ((asked += 1) > 6) return [];
    if (last === '') return [['bash', { command: 'seq 1 5000' }]];
    output ??= CUT.exec(last)?.[1];
    const next = CUT.test(last) ? {} : readingOn(last);
    return next === undefined ? [] : [['output_read', { output, ...next }]];
  });
  const pages = results.slice(1);
  expect(pages.map((page) => page.split('\n').at(-1))).toEqual([
    '[lines 1-1999 of 5000; read on with offset 2000]',
    '[lines 2000-3998 of 5000; read on with offset 3999]',
    '[lines 3999-5000 of 5000]',
  ]);
  expect(linesOf(pages)).toBe(seq(5_000));
  expect(returned.slice(1).map(({ data }) => data.shaping)).toEqual([undefined, undefined, undefined]);
});

test('a range of `history_read` ends with how to read the next range, and is not cut again', async () => {
  const asked: Call[] = [
    ['read', { path: 'short', limit: 1 }],
    ['read', { path: 'short' }],
    ['history_read', { position: 0, to: 99 }],
  ];
  const { results, returned } = await play({ files: { short: '\n'.repeat(1_990) } }, () => asked.splice(0, 1));
  expect(results.at(-1)?.split('\n').at(-1)).toMatch(/^\[read on with position \d+ and to 99\]$/);
  expect(returned.map(({ data }) => data.shaping)).toEqual([undefined, undefined, undefined]);
});
