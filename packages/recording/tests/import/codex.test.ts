// Tests the import of rollouts that the real Codex CLI made (`../make-codex.ts`).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import type { Recorded } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { NOT_TEXT, ROLLOUTS, answers, rollout, rolloutPath } from './codex-rows.ts';
import type { ImportedRows } from './import-rows.ts';
import { collect, importRows, only, packed, pick } from './import-rows.ts';

const GPT = 'gpt-5.5';

describe('a rollout that the real client made', () => {
  test.each([
    ['main', 7],
    ['fork', 1],
    ['subagent', 1],
    ['switched', 4],
    ['switched-reverted', 1],
    ['codex-0.20.0', 0],
    ['codex-0.47.0', 4],
    ['codex-0.98.0', 4],
  ] as const)(
    '%s is imported as `codex` with %d billed calls, and a second import adds nothing',
    async (name, billed) => {
      const store = createMemoryStore();
      const first = await importInto(store, rolloutPath(name));
      expect([first.format, first.calls, first.skipped]).toEqual(['codex', billed, []]);
      expect((await importInto(store, rolloutPath(name))).added).toBe(0);
    },
  );

  test.each(ROLLOUTS.filter((name) => name !== 'codex-0.20.0'))(
    'has in %s the input that the client counted, and each record is in the log',
    async (name) => {
      const lines = rollout(name);
      const { events } = await importRows(lines);
      expect(answers({ events }).reduce((sum, [, input]) => sum + Number(input ?? 0), 0)).toBe(countedInput(lines));
      const kept = pick(events, 'foreign.recorded').map(({ data }) => data);
      const twice = kept.filter(({ reason }) => reason === NOT_TEXT).length;
      expect(lines.length - kept.length + twice).toBe(events.reduce((sum, one) => sum + linesIn(one), 0));
    },
  );

  test('has the effort, the image, the failed call, the interrupted turn and the compaction of the main thread', async () => {
    const { events } = await importRows(rollout('main'));
    expect(only(events, 'reasoning.changed')).toMatchObject({ setting: 'high' });
    expect(pick(events, 'prompt.given').flatMap(({ data }) => data.parts.map(({ type }) => type))).toContain('image');
    expect(only(events, 'answer.failed')).toMatchObject({ class: 'refused', code: 'provider/invalid' });
    expect(only(events, 'answer.interrupted')).toMatchObject({ by: 'user', parts: [] });
    expect(pick(events, 'turn.ended').map(({ data }) => data.outcome)).toEqual([
      'completed',
      'completed',
      'completed',
      'failed',
      'interrupted',
      'completed',
      'completed',
    ]);
    expect(only(events, 'history.compacted').checkpoint).toContain('SUMMARY: the shop opens at noon.');
    expect(packed(events).at(-1)).toBe('assistant: It is done.');
    expect(pick(events, 'epoch.opened').at(-1)?.data.checkpoint).toBe(pick(events, 'history.compacted')[0]?.position);
  });

  test('pairs the parallel calls of each version with their results', async () => {
    for (const name of ['main', 'codex-0.20.0', 'codex-0.47.0', 'codex-0.98.0'] as const) {
      const { events } = await importRows(rollout(name));
      const [first] = pick(events, 'answer.received');
      const asked = first?.data.parts.flatMap((part) => (part.type === 'call' ? [part.call] : []));
      expect(asked).toHaveLength(2);
      expect([pick(events, 'tool.returned')[0]?.data.call, only(events, 'tool.failed').call]).toEqual(asked);
    }
  });

  test('has the model that each turn names, and the written tokens that the client reports', async () => {
    const { events } = await importRows(rollout('switched'));
    expect(pick(events, 'answer.received').map(({ data }) => data.model)).toEqual([
      GPT,
      GPT,
      'gpt-5.6-sol',
      'gpt-5.6-sol',
    ]);
    const [, , first, second] = pick(events, 'answer.received').map(({ data }) => data.usage);
    expect(first).toMatchObject({ fresh: 0, read: 0 });
    expect(first?.written).toBeGreaterThan(9000);
    expect(second?.read).toBe(first?.written);
  });

  test('of a subagent has its title and the call that started it, if the main thread was imported before', async () => {
    const store = createMemoryStore();
    const alone = await importInto(createMemoryStore(), rolloutPath('subagent'));
    expect(alone.subagent).toEqual({ main: expect.stringContaining('the rollout of thread ') });
    const main = await importInto(store, rolloutPath('main'));
    const { subagent, session } = await importInto(store, rolloutPath('subagent'));
    expect(subagent?.startedBy).toMatchObject({ session: main.session, depth: 1 });
    const [created] = await collect(store.read(session, 0, 1));
    expect(created?.data).toMatchObject({ title: 'count_words', startedBy: subagent?.startedBy });
    const started = pick(await collect(store.read(main.session)), 'answer.received').flatMap(({ data }) => data.parts);
    expect(started).toContainEqual(expect.objectContaining({ type: 'call', call: subagent?.startedBy?.call }));
  });

  test('is imported from its compressed file, and adds nothing if it was imported before it was compressed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-codex-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const bytes = zstdCompressSync(readFileSync(rolloutPath('main')));
    const [whole, cut] = [join(folder, 'rollout.jsonl.zst'), join(folder, 'cut.jsonl.zst')];
    writeFileSync(whole, bytes);
    writeFileSync(cut, bytes.subarray(0, bytes.length / 2));
    const store = createMemoryStore();
    expect(await importInto(store, whole)).toMatchObject({ calls: 7, skipped: [] });
    expect((await importInto(store, rolloutPath('main'))).added).toBe(0);
    await expect(importInto(store, cut)).rejects.toMatchObject({ code: 'import/unreadable' });
  });

  test('that was imported at any earlier length has the same calls after it grew', async () => {
    for (const name of ['main', 'codex-0.47.0', 'codex-0.98.0'] as const) {
      const lines = rollout(name);
      for (let length = 3; length < lines.length; length += 5) {
        const store = createMemoryStore();
        await importRows(lines.slice(0, length), store);
        const grown = await importRows(lines, store);
        expect([name, length, sumOf(grown)]).toEqual([name, length, countedInput(lines)]);
        expect(grown.imported.updated).toBe(true);
      }
    }
  });
});

/** Returns the number of lines of a rollout that an event stands for. */
function linesIn(record: Recorded): number {
  switch (record.kind) {
    case 'answer.received':
      return record.data.parts.length + (Object.keys(record.data.usage).length > 0 ? 1 : 0);
    case 'prompt.given':
    case 'context.noted':
    case 'notification.received':
    case 'tool.returned':
    case 'tool.failed':
    case 'history.compacted':
    case 'answer.failed':
      return 1;
    default:
      return 0;
  }
}

function sumOf(rows: ImportedRows): number {
  return answers(rows).reduce((sum, [, input]) => sum + Number(input ?? 0), 0);
}

/** Returns the input tokens that the client counted in a file: its own records, or else each new total. */
function countedInput(lines: readonly string[]): number {
  interface Counted {
    readonly payload?: {
      readonly usage?: { readonly input_tokens: number };
      readonly info?: {
        readonly total_token_usage: object;
        readonly last_token_usage: { readonly input_tokens: number };
      } | null;
    };
  }
  const rows = lines.map((text): Counted => JSON.parse(text));
  const own = rows.flatMap(({ payload }) => payload?.usage?.input_tokens ?? []);
  if (own.length > 0) return own.reduce((sum, tokens) => sum + tokens, 0);
  const infos = rows.flatMap(({ payload }) => payload?.info ?? []);
  const fresh = infos.filter(
    ({ total_token_usage: total }, index) =>
      index === 0 || JSON.stringify(total) !== JSON.stringify(infos[index - 1]?.total_token_usage),
  );
  return fresh.reduce((sum, { last_token_usage: last }) => sum + last.input_tokens, 0);
}
