// Tests for a transcript that is imported again after it grew, and for files into which rows of another file were
// copied. Each provider call must be counted once, for any order of imports.

import type { Account } from '@tidemark/context';
import { addSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, it, test } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { answer, prompt, row, say, toolResult, use } from './claude-rows.ts';
import type { Row } from './import-rows.ts';
import { collect, fileOf, fold, importRows, packed, pick, sourceOf } from './import-rows.ts';
import { assistant, call, entry, header, result, text, user } from './pi-rows.ts';

const tokens = (output: number) => ({
  usage: {
    input_tokens: 3,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 100,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
  },
});
const side = { isSidechain: true, agentId: 'a1' };

/**
 * Rows of a Claude Code session that contains several rows of one answer, parallel calls, a subagent, a compaction, and
 * a rewind.
 */
const CLAUDE: readonly Row[] = [
  { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
  prompt('p1', null, 'one'),
  answer('a1', 'p1', 'm1', say('thinking'), tokens(2)),
  answer('a2', 'a1', 'm1', use('x'), tokens(2)),
  answer('a3', 'a2', 'm1', use('y'), tokens(40)),
  toolResult('r1', 'a2', 'x'),
  toolResult('r2', 'a3', 'y'),
  answer('b1', 'r2', 'm2', use('task'), tokens(9)),
  { ...prompt('s1', null, 'look around'), ...side },
  { ...answer('s2', 's1', 'n1', say('half'), tokens(1)), ...side },
  { ...answer('s3', 's2', 'n1', use('z'), tokens(7)), ...side },
  { ...toolResult('s4', 's3', 'z'), ...side },
  { ...answer('s5', 's4', 'n2', say('seen'), tokens(3)), ...side },
  toolResult('r3', 'b1', 'task'),
  answer('c1', 'r3', 'm3', say('done'), tokens(5)),
  prompt('p2', 'c1', 'two'),
  answer('d1', 'p2', 'm4', say('second'), tokens(6)),
  row('k1', 'd1', {
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'auto', preTokens: 900 },
  }),
  prompt('k2', 'k1', 'a summary', { isCompactSummary: true }),
  prompt('p3', 'k2', 'three'),
  answer('e1', 'p3', 'm5', say('third'), tokens(8)),
  prompt('p4', 'k2', 'three, better'),
  answer('f1', 'p4', 'm6', say('fourth'), tokens(4)),
  prompt('p5', 'f1', 'four'),
  answer('g1', 'p5', 'm7', say('fifth'), tokens(4)),
];

const PI: readonly Row[] = [
  header(3),
  entry('a', null, user('one')),
  entry('b', 'a', assistant([text('first')])),
  entry('c', 'b', user('two')),
  entry('d', 'c', assistant([call('x'), call('y')])),
  entry('e', 'd', result('x')),
  entry('f', 'e', result('y')),
  entry('g', 'f', assistant([text('second')])),
  entry('h', 'b', user('two, better')),
  entry('i', 'h', assistant([text('third')])),
  entry('j', 'g', user('back')),
  entry('k', 'j', assistant([text('fourth')])),
];

const rowOf = (provider: string, model: string) => findModel(defaultCatalog(), model, provider);

async function accountOf(store: Log): Promise<Account> {
  let accounts = NO_ACCOUNTS;
  const { sessions } = await store.sessions();
  for (const { session } of sessions) accounts = await addSession(accounts, store, session, { by: 'session', rowOf });
  return accounts.whole;
}

const counted = ({ calls, tokens: sums, cost }: Account): object => ({ calls, sums, cost });

async function recordsOf(store: Log, session: SessionId): Promise<readonly Recorded[]> {
  return collect(store.read(session));
}

/**
 * Returns the packed texts of a session. Unlike the events, these texts do not depend on the places where earlier
 * imports ended.
 */
async function packedTexts(store: Log, session: SessionId): Promise<readonly string[]> {
  return packed(await recordsOf(store, session));
}

describe.each([
  ['of Claude Code', CLAUDE],
  ['of pi', PI],
])('a transcript %s that is imported again after it grew', (_, rows) => {
  const cuts = rows.map((_row, index) => index + 1).filter((length) => length < rows.length && length > 1);

  it.each(cuts)('counts each call once if the first import ended after row %i', async (length) => {
    const fresh = await importRows(rows);
    const { store, imported: before } = await importRows(rows.slice(0, length));
    const { imported } = await importRows(rows, store);
    expect(imported).toMatchObject({ updated: true });
    expect(imported.session).toBe(before.session);
    expect(imported.sessions.length).toBe(fresh.imported.sessions.length);
    expect((await store.sessions()).sessions).toHaveLength(imported.sessions.length);
    expect(counted(await accountOf(store))).toEqual(counted(await accountOf(fresh.store)));
    const again = await importRows(rows, store);
    expect(again.imported).toEqual({ ...imported, added: 0 });
  });

  it('keeps all earlier records and loses no text if it is imported again after each row', async () => {
    const fresh = await importRows(rows);
    const store = createMemoryStore();
    let before: readonly Recorded[] = [];
    for (let length = 2; length <= rows.length; length += 1) {
      const { imported } = await importRows(rows.slice(0, length), store);
      const records = await recordsOf(store, imported.session);
      expect(records.slice(0, before.length)).toEqual(before);
      before = records;
    }
    expect(fold(before).problems.length).toBe(0);
    expect(counted(await accountOf(store))).toEqual(counted(await accountOf(fresh.store)));
    const words = packed(before);
    for (const line of await packedTexts(fresh.store, fresh.imported.session)) {
      // Calls and results are not compared here. If the file ended between a call and its result, the two are not next
      // to each other in the history.
      if (!/^user: result|^assistant: call/.test(line)) expect(words).toContain(line);
    }
  });
});

describe('an import that was cut off while it added events to a session', () => {
  it('continues where it stopped, even if the file has grown again', async () => {
    const whole = await importRows(CLAUDE.slice(0, 16), (await importRows(CLAUDE.slice(0, 7))).store);
    const events = whole.events.filter((event) => event.kind !== 'unknown');
    const fresh = counted(await accountOf((await importRows(CLAUDE)).store));
    for (let length = 12; length < events.length; length += 1) {
      const { store, imported } = await importRows(CLAUDE.slice(0, 7));
      const writer = await store.open(imported.session);
      const missing = events.slice(writer.length, length);
      await writer.append(missing, writer.length);
      await writer.close();
      const { imported: grown } = await importRows(CLAUDE, store);
      expect(grown.session).toBe(imported.session);
      expect(counted(await accountOf(store))).toEqual(fresh);
    }
  });
});

describe('a result that is in the file only after an earlier import', () => {
  it('becomes a notification, because the log already contains the call as abandoned', async () => {
    const { store } = await importRows(CLAUDE.slice(0, 5));
    const { events } = await importRows(CLAUDE.slice(0, 7), store);
    expect(pick(events, 'tool.abandoned').map(({ data }) => data.call)).toEqual(['x', 'y']);
    expect(pick(events, 'notification.received').map(({ data }) => [data.source, data.body])).toEqual([
      ['import', 'output of x'],
      ['import', 'output of y'],
    ]);
  });
});

describe('a transcript that differs from the session of its earlier import', () => {
  const changed = [CLAUDE[0], prompt('p1', null, 'one, otherwise'), ...CLAUDE.slice(2)].filter(
    (one) => one !== undefined,
  );

  it('because old rows were changed makes a new session, leaves the earlier session unchanged, and counts each call once', async () => {
    const { store, imported, events } = await importRows(CLAUDE.slice(0, 16));
    const before = counted(await accountOf((await importRows(changed)).store));
    const { imported: other } = await importRows(withTimesOf(changed), store);
    expect(other.session).not.toBe(imported.session);
    expect(other.diverged).toBe(imported.session);
    expect(await recordsOf(store, imported.session)).toEqual(events);
    expect(counted(await accountOf(store))).toEqual(before);
  });

  it('because a user continued the imported session makes a new session too', async () => {
    const { store, imported } = await importRows(CLAUDE.slice(0, 16));
    const writer = await store.open(imported.session);
    const at = timestamp('2026-02-01T00:00:00.000Z');
    await writer.append(
      [{ kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: 'mine' }], presenter: 'cli' } }],
      writer.length,
    );
    await writer.close();
    const { imported: other } = await importRows(CLAUDE, store);
    expect(other).toMatchObject({ diverged: imported.session, updated: false });
    expect(counted(await accountOf(store))).toEqual(counted(await accountOf((await importRows(CLAUDE)).store)));
  });
});

/** Returns the rows with the timestamps of the `CLAUDE` rows at the same index. */
function withTimesOf(rows: readonly Row[]): readonly Row[] {
  return rows.map((one, index) => {
    const original = CLAUDE[index];
    return typeof one === 'object' && typeof original === 'object' && 'timestamp' in original
      ? { ...one, timestamp: original.timestamp }
      : one;
  });
}

describe('the calls of rows that were copied into the file of a forked session', () => {
  /**
   * Returns the rows as `--fork-session` copies them into another file: the same rows with another session name. The
   * rows of the fork follow in that file.
   */
  const copy = (rows: readonly Row[]): readonly Row[] =>
    rows.map((one) => (typeof one === 'object' && 'sessionId' in one ? { ...one, sessionId: 'eeeeffff-0000' } : one));
  const forked: readonly Row[] = [
    ...copy(CLAUDE.slice(0, 17)),
    ...copy([prompt('q1', 'd1', 'instead'), answer('h1', 'q1', 'm8', say('other'), tokens(11))]),
  ];

  test.each([
    ['after the original', [CLAUDE, forked]],
    ['before the original', [forked, CLAUDE]],
    ['before the original grew', [CLAUDE.slice(0, 17), forked, CLAUDE]],
  ])('are counted once, imported %s', async (_, files) => {
    const store = createMemoryStore();
    for (const rows of files) await importRows(rows, store);
    const [original, fork] = [
      await accountOf((await importRows(CLAUDE)).store),
      await accountOf((await importRows(forked)).store),
    ];
    const shared = await accountOf((await importRows(CLAUDE.slice(0, 17))).store);
    const whole = await accountOf(store);
    expect(whole.calls).toBe(original.calls + fork.calls - shared.calls);
    expect(whole.tokens.read).toBe(original.tokens.read + fork.tokens.read - shared.tokens.read);
    expect(whole.tokens.answer).toBe(original.tokens.answer + fork.tokens.answer - shared.tokens.answer);
  });

  it('name the record that bills them, and keep their token counts', async () => {
    const { store, imported } = await importRows(CLAUDE);
    const { events } = await importRows(forked, store);
    const answers = pick(events, 'answer.received').map(({ data }) => data);
    const billed = answers.flatMap(({ billed: one }) => (one === undefined ? [] : [one]));
    expect(answers.length - billed.length).toBe(1);
    expect(new Set(billed.map(({ session }) => session))).toEqual(new Set([imported.session]));
    const original = await recordsOf(store, imported.session);
    for (const { position, usage } of billed) expect(original[position]).toMatchObject({ data: { usage } });
    expect(answers.every(({ usage }) => usage.read === 100)).toBe(true);
  });

  it('of pi are recognized without an answer id', async () => {
    const fork = [
      header(3, { id: 'bbbbcccc-0000', parentSession: 'a.jsonl' }),
      ...PI.slice(1, 8),
      entry('z', 'g', user('else')),
      entry('zz', 'z', assistant([text('other')])),
    ];
    const { store } = await importRows(PI);
    await importRows(fork, store);
    expect((await accountOf(store)).calls).toBe((await accountOf((await importRows(PI)).store)).calls + 1);
  });
});

it('a file that ends inside a row counts as the beginning of the file after it grew', async () => {
  const store = createMemoryStore();
  const bytes = fileOf(CLAUDE);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const before = await importInto(store, sourceOf(half));
  const grown = await importInto(store, sourceOf(bytes));
  expect(grown.session).toBe(before.session);
  expect(counted(await accountOf(store))).toEqual(counted(await accountOf((await importRows(CLAUDE)).store)));
});
