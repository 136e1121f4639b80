// Tests the import of sessions that the real Gemini CLI made (`../make-gemini-cli.ts`).

import { readFileSync } from 'node:fs';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { GEMINI_SESSIONS, geminiLines, geminiPath, geminiSubagentPath } from './gemini-rows.ts';
import type { ImportedRows } from './import-rows.ts';
import { collect, importRows, only, packed, pick, sourceOf } from './import-rows.ts';

describe('a session that the real client made', () => {
  test.each(GEMINI_SESSIONS)(
    '%s is imported as `gemini-cli` with %d billed calls, and a second import adds nothing',
    async (name, billed) => {
      const store = createMemoryStore();
      const first = await importInto(store, geminiPath(name));
      expect([first.format, first.calls, first.skipped]).toEqual(['gemini-cli', billed, []]);
      expect((await importInto(store, geminiPath(name))).added).toBe(0);
    },
  );

  test.each(GEMINI_SESSIONS)('%s has the tokens that the client counted', async (name) => {
    const imported = await importRows(geminiLines(name));
    const counts = countsIn(readFileSync(geminiPath(name), 'utf8'));
    expect(inputOf(imported)).toBe(counts.reduce((sum, { input }) => sum + input, 0));
    const usages = answersOf(imported).map(({ data }) => data.usage);
    expect(usages.map(({ read }) => read)).toEqual(counts.map(({ cached }) => cached));
    expect(usages.every(({ writes }) => writes?.length === 0)).toBe(true);
  });

  test('has the context, the thought, the parallel calls with their results, and the folder of the context', async () => {
    const { events, imported, store } = await importRows(geminiLines('main.jsonl'));
    expect(only(events, 'context.noted').body).toMatch(/^<session_context>/);
    const [first] = pick(events, 'answer.received');
    expect(first?.data.parts.map(({ type }) => type)).toEqual(['reasoning', 'text', 'call', 'call']);
    const asked = first?.data.parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
    expect([only(events, 'tool.returned').call, only(events, 'tool.failed').call]).toEqual(asked);
    const [created] = await collect(store.read(imported.session, 0, 1));
    expect(created?.data).toMatchObject({ workspace: '/tmp/tidemark-gemini-shop', title: 'Read note.txt.' });
  });

  test('continues in a fork after a failed request, with another model and an image in a result', async () => {
    const { events, of, imported } = await importRows(geminiLines('main.jsonl'));
    expect(imported.sessions).toHaveLength(2);
    expect(packed(events).at(-1)).toBe('user: Fail.');
    expect(packed(of(1)).filter((line) => line.includes('Fail.'))).toEqual([]);
    expect(pick(of(1), 'epoch.opened').map(({ data }) => data.model)).toEqual([
      'gemini-2.5-pro',
      'gemini-2.5-flash',
      'gemini-2.5-pro',
    ]);
    expect(
      pick(of(1), 'tool.returned')
        .at(-1)
        ?.data.parts.map(({ type }) => type),
    ).toEqual(['text', 'image']);
  });

  test('continues in a fork after a cancelled prompt', async () => {
    const { of, imported } = await importRows(geminiLines('cancelled.jsonl'));
    expect(imported.sessions).toHaveLength(2);
    expect(packed(of(1)).filter((line) => line.startsWith('user: '))).toEqual(
      expect.arrayContaining(['user: Is it open?', 'user: And tomorrow?']),
    );
    expect(packed(of(1)).join('\n')).not.toContain('Write a long text.');
  });

  test('has the summary of a compaction, which replaces the history before the messages that were kept', async () => {
    const { events } = await importRows(geminiLines('compacted.jsonl'));
    const { checkpoint, range } = only(events, 'history.compacted');
    expect(checkpoint).toContain('SUMMARY: the shop opens at noon.');
    const kept = pick(events, 'prompt.given').filter(({ position }) => position > range.to);
    expect(kept.map(({ data }) => data.parts)).toEqual([
      [{ type: 'text', text: 'Is it open today?' }],
      [{ type: 'text', text: 'What did we do?' }],
    ]);
    expect(pick(events, 'epoch.opened').at(-1)?.data.cause).toBe('compaction');
  });

  test('of a subagent names the call that started it, if the session of its parent was imported before', async () => {
    const alone = await importInto(createMemoryStore(), geminiSubagentPath());
    expect(alone.subagent).toEqual({ main: expect.stringMatching(/^session /) });
    const store = createMemoryStore();
    const main = await importInto(store, geminiPath('parent.jsonl'));
    const { subagent, session } = await importInto(store, geminiSubagentPath());
    expect(subagent?.startedBy).toMatchObject({ session: main.session, depth: 1 });
    const [created] = await collect(store.read(session, 0, 1));
    expect(created?.data).toMatchObject({ title: 'Count the words of note.txt.', startedBy: subagent?.startedBy });
    expect(only(await collect(store.read(session)), 'turn.started').trigger).toBe('subagent');
    const started = pick(await collect(store.read(main.session)), 'answer.received').flatMap(({ data }) => data.parts);
    expect(started).toContainEqual(expect.objectContaining({ type: 'call', call: subagent?.startedBy?.call }));
  });

  test('that was imported at any earlier length has the same calls after it grew', async () => {
    for (const name of ['main.jsonl', 'compacted.jsonl', 'cancelled.jsonl']) {
      const lines = geminiLines(name);
      const whole = inputOf(await importRows(lines));
      for (let length = 1; length < lines.length; length += 1) {
        const store = createMemoryStore();
        await importRows(lines.slice(0, length), store);
        const grown = await importRows(lines, store);
        expect([name, length, inputOf(grown)]).toEqual([name, length, whole]);
        expect(grown.imported.updated).toBe(true);
      }
    }
  });
});

describe('a session that is one JSON document', () => {
  const text = readFileSync(geminiPath('gemini-cli-0.38.2.json'), 'utf8');

  test('gives the same events with and without its line breaks', async () => {
    const lines = [text, JSON.stringify(JSON.parse(text))];
    const [printed, compact] = await Promise.all(lines.map((one) => importRows([one])));
    expect(packed(compact?.events ?? [])).toEqual(packed(printed?.events ?? []));
    expect(packed(printed?.events ?? [])).toHaveLength(10);
  });

  test('loses only the message in which it is cut off', async () => {
    const cut = text.slice(0, text.indexOf('"Is it still open?"'));
    const { events, imported } = await importRows([cut]);
    expect(imported.calls).toBe(2);
    expect(imported.skipped).toEqual([{ line: expect.any(Number), reason: expect.stringContaining('incomplete') }]);
    expect(cut.split('\n')[(imported.skipped[0]?.line ?? 0) - 1]).toBe('    {');
    expect(packed(events).at(-1)).toBe('assistant: It is done.');
  });

  test('loses only the message with bytes that are not UTF-8', async () => {
    const bytes = Buffer.from(text);
    bytes[bytes.indexOf('I read it.')] = 0xff;
    const store = createMemoryStore();
    const imported = await importInto(store, sourceOf(bytes));
    expect(imported.calls).toBe(2);
    expect(imported.skipped.map(({ reason }) => reason)).toContain('not UTF-8 text');
  });

  test('bills no call again that the session contains after the client rewrote it as lines', async () => {
    const store = createMemoryStore();
    await importInto(store, geminiPath('gemini-cli-0.38.2.json'));
    const { messages, ...header }: { messages: object[] } = JSON.parse(text);
    const copy = await importRows([header, ...messages], store);
    const billed = pick(copy.events, 'answer.received').map(({ data }) => data.billed !== undefined);
    expect(billed).toEqual([true, true, true]);
  });
});

interface Counted {
  readonly input: number;
  readonly cached: number;
}

/** Returns the token counts of all answers in a file. The same answer is counted once. */
function countsIn(text: string): readonly Counted[] {
  interface Row {
    readonly id?: string;
    readonly tokens?: Counted;
    readonly messages?: readonly Row[];
  }
  const rows: readonly Row[] = text.startsWith('{\n')
    ? [JSON.parse(text)]
    : text
        .trimEnd()
        .split('\n')
        .map((line): Row => JSON.parse(line));
  const counts = new Map<string, Counted>();
  for (const { id, tokens } of rows.flatMap((row) => row.messages ?? [row]))
    if (id !== undefined && tokens !== undefined) counts.set(id, tokens);
  return [...counts.values()];
}

/** Returns the answers of all sessions. A fork contains the answers of its parent. */
function answersOf({ imported, of }: ImportedRows): readonly ReturnType<typeof pick<'answer.received'>>[number][] {
  const all = imported.sessions.flatMap((_, index) => pick(of(index), 'answer.received'));
  return all.filter(({ data }, index) => all.findIndex((one) => one.data.startedAt === data.startedAt) === index);
}

function inputOf(rows: ImportedRows): number {
  return answersOf(rows).reduce((sum, { data: { usage } }) => sum + (usage.fresh ?? 0) + (usage.read ?? 0), 0);
}
