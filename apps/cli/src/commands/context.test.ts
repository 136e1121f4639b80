// Tests `tidemark context` on sessions that are identical in every run.

import { createAgent, createMemoryStore } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { callId, sessionId } from '@tidemark/log';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { playSession } from '../../tests/played-session.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { ContextReport, ContextRow } from '../reports/context-report.ts';
import { readContext } from '../reports/context-report.ts';

const home = mkdtempSync(join(tmpdir(), 'tidemark-context-'));
const store = openNdjsonStore({ home });
afterAll(() => rmSync(home, { recursive: true, force: true }));

let session = '';
beforeAll(async () => {
  session = await playSession(store);
});

const sum = (rows: readonly ContextRow[], of: 'tokens' | 'share' | 'cost'): number =>
  rows.reduce((total, row) => total + (row[of] ?? 0), 0);

/** Plays a session with a tool that reads files, and returns it with its report. */
async function worked(compacts = false): Promise<ContextReport & { readonly paid: number }> {
  const log = createMemoryStore();
  const read = (id: string, path: string) => ({
    parts: [{ type: 'call' as const, call: callId(id), name: 'look', arguments: JSON.stringify({ path }) }],
  });
  const said = (text: string) => ({ parts: [{ type: 'text' as const, text }] });
  const answers = [
    read('1', 'src/long.ts'),
    read('2', 'src/short.ts'),
    said('Both read.'),
    said('Done.'),
    said('Done again.'),
  ];
  let input = 0;
  const usages = answers.map(({ parts }) => {
    const before = input;
    input += 4_000;
    return { parts, usage: { fresh: 0, read: before, writes: [{ ttl: '5m' as const, tokens: 4_000 }], answer: 30 } };
  });
  const agent = createAgent({
    model: 'claude-opus-5-5',
    provider: createScriptedProvider({ answers: usages }),
    store: log,
    tools: [
      {
        name: 'look',
        description: 'Looks at a file.',
        schema: { type: 'object', properties: { path: { type: 'string' } } },
        effect: 'read',
        read: (given) => ({
          title: 'look',
          run: async () => ({
            text: JSON.stringify(given).includes('long') ? 'a long line of the file\n'.repeat(400) : 'short',
          }),
        }),
      },
    ],
    compaction: { when: 'manual' },
  });
  onTestFinished(() => agent.close());
  const live = await agent.open();
  await live.prompt('Read both files, please.');
  await live.prompt('And what follows?');
  if (compacts) {
    expect(await live.compact({ tailTokens: 100 })).toMatchObject({ outcome: 'compacted' });
    await live.prompt('Go on.');
  }
  const report = await readContext(log, live.id, '/nowhere');
  if (report === undefined) throw new Error('there is no report');
  let paid = 0;
  for await (const record of log.read(live.id)) if (record.kind === 'answer.received') paid += Number(record.data.cost);
  return { ...report, paid };
}

describe('readContext', () => {
  test('divides the whole input and the whole cost between the kinds of content', async () => {
    const { gauge, kinds, replaced, paid } = await worked();
    expect(Math.abs(sum(kinds, 'tokens') - (gauge?.input ?? 0))).toBeLessThan(kinds.length);
    expect(sum(kinds, 'share')).toBeCloseTo(1, 9);
    expect(sum(kinds, 'cost') + replaced).toBeCloseTo(paid, 9);
    expect(replaced).toBeCloseTo(0, 9);
    expect(kinds.map(({ name }) => name)).toContain('tool definitions');
  });

  test('names the tools, the files and the turns', async () => {
    const { tools, files, turns } = await worked();
    expect(tools[0]).toMatchObject({ name: 'look' });
    expect(files.map(({ name }) => name)).toEqual(['src/long.ts', 'src/short.ts']);
    expect(turns.map(({ name }) => name)).toEqual(['1  Read both files, please.', '2  And what follows?']);
    expect(files[0]?.tokens).toBeGreaterThan(50 * (files[1]?.tokens ?? 0));
  });

  test('appended tools count as tool definitions, each with its name and its size', async () => {
    const log = createMemoryStore();
    const tool = (name: string, words: number) => ({
      name,
      description: 'A word of this tool. '.repeat(words),
      schema: { type: 'object', properties: {} },
      effect: 'read' as const,
      read: () => ({ title: name, run: async () => ({ text: '' }) }),
    });
    const play = async (names: readonly ReturnType<typeof tool>[], id?: string): Promise<string> => {
      const answers = [{ parts: [{ type: 'text' as const, text: 'Done.' }] }];
      const provider = createScriptedProvider({ answers });
      const agent = createAgent({ model: 'claude-opus-5-5', provider, store: log, tools: names });
      onTestFinished(() => agent.close());
      const live = await agent.open(id);
      await live.prompt('Go on.');
      await live.close();
      return live.id;
    };
    const front = tool('look', 100);
    const id = await play([front]);
    await play([front, tool('large', 100), tool('small', 1)], id);
    const report = await readContext(log, sessionId(id), '/nowhere');
    const sizes = new Map(report?.tools.map(({ name, tokens }) => [name, tokens]));
    expect(report?.kinds.map(({ name }) => name)).not.toContain('other');
    expect(sizes.get('large')).toBeGreaterThan(5 * (sizes.get('small') ?? Infinity));
    expect(Math.abs((sizes.get('large') ?? 0) / (sizes.get('look') ?? 1) - 1)).toBeLessThan(0.1);
  });

  test('an early part costs more than a late part of the same size, because each call pays for it again', async () => {
    const { turns } = await worked();
    const [first, second] = turns;
    expect((first?.cost ?? 0) / (first?.tokens ?? 1)).toBeGreaterThan(0);
    expect(first?.cost ?? 0).toBeGreaterThan(second?.cost ?? 0);
  });

  test('reports the cost of content that a compaction replaced', async () => {
    const { kinds, replaced, paid } = await worked(true);
    expect(kinds.map(({ name }) => name)).toContain('checkpoint');
    expect(replaced).toBeGreaterThan(0);
    expect(sum(kinds, 'cost') + replaced).toBeCloseTo(paid, 9);
  });
});

describe('`tidemark context`', () => {
  test('shows the kinds, the tools, the files and the turns of a session, and changes nothing', async () => {
    const records = await Array.fromAsync(store.read(sessionId(session)));
    const { out, exit } = await pretendRun(['context', session], { store, colour: true });
    expect(exit).toBe(0);
    expect(out).toMatch(/the next request of session \S+ to claude-sonnet-4-5-20250929 has about [\d,]+/);
    for (const title of ['kind', 'layer', 'tool', 'turn']) expect(out).toMatch(new RegExp(`\\[1m${title}`));
    expect(out).toMatch(/prompts +[\d,]+ +\d+\.\d% +\$0\.\d+/);
    expect(await Array.fromAsync(store.read(sessionId(session)))).toEqual(records);
  });

  test('prints one object with `--json`', async () => {
    const { out } = await pretendRun(['context', session, '--json'], { store });
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      session,
      kinds: expect.arrayContaining([]),
      calls: { unknown: 0 },
    });
  });

  test('refuses a session that does not exist', async () => {
    expect(await pretendRun(['context', 'nothing'], { store })).toMatchObject({ exit: 3 });
  });
});
