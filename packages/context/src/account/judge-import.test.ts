import type { DiagnosisRecord, EpochCause } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Capabilities, Ttl } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import { row } from '../../tests/log-of.ts';
import type { Between, Judgement } from './judge-import.ts';
import { judgeImport, leftBy } from './judge-import.ts';
import type { ModelCall } from './model-call.ts';

const SONNET = row('claude-sonnet-4-5');

interface Counts {
  readonly read: number;
  readonly written?: number;
  readonly fresh?: number;
  readonly ttl?: Ttl;
  /** Minutes after the first call. */
  readonly minute?: number;
  readonly row?: Capabilities;
}

function call({ read, written, fresh = 0, ttl = '5m', minute = 0, row: used = SONNET }: Counts): ModelCall {
  const writes = written === undefined ? {} : { writes: written === 0 ? [] : [{ ttl, tokens: written }] };
  return {
    session: sessionId('s'),
    stream: 'main',
    step: 0,
    at: timestamp(new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()),
    provider: used.provider,
    model: used.model,
    row: used,
    // If a program does not report its writes, it reports only the total of its input.
    usage: written === undefined ? { input: fresh + read, read } : { fresh, read, ...writes, answer: 10 },
    unread: { wasted: 0, waiting: 0 },
  };
}

/** Returns the judgement of the last call. The calls are consecutive calls of one session. */
function judged(calls: readonly Counts[], between: Partial<Between> = {}): Judgement {
  const earlier = calls.slice(0, -1).reduce<Between['left']>((left, counts) => leftBy(call(counts), left), undefined);
  const last = calls.at(-1);
  if (last === undefined) throw new Error('no call');
  return judgeImport(call(last), { left: earlier, opened: undefined, arrived: 0, ...between });
}

/** A front of 10,000 tokens and a history of 90,000 tokens. Another session had cached 8,000 tokens of the front. */
const SESSION: readonly Counts[] = [
  { read: 8_000, written: 2_000 },
  { read: 10_000, written: 80_000, minute: 1 },
  { read: 90_000, written: 10_000, minute: 2 },
];

describe('the cause of tokens that an imported call paid again', () => {
  const causeOf = (next: Counts, between?: Partial<Between>): unknown =>
    judged([...SESSION, { minute: 3, ...next }], between).again?.cause;

  test('is `front-changed-or-evicted` if nothing was read within the lifetime', () =>
    expect(judged([...SESSION, { minute: 3, read: 0, written: 101_000 }])).toEqual({
      held: 100_000,
      unsent: 1_000,
      // 100,000 tokens at the price of a write ($3.75 a million) instead of a read ($0.30 a million).
      again: { cause: 'front-changed-or-evicted', tokens: 100_000, from: 0, cost: '0.345' },
    }));

  test('is `history-changed` if no more than the first request was read', () =>
    expect(causeOf({ read: 9_900, written: 91_000 })).toBe('history-changed'));

  test('is `edited` if a part of the history was read, with the number of read tokens', () =>
    expect(judged([...SESSION, { minute: 3, read: 60_000, written: 41_000 }]).again).toMatchObject({
      cause: 'edited',
      from: 60_000,
      tokens: 40_000,
    }));

  test('is `expired` after a pause longer than the longest written lifetime', () => {
    expect(causeOf({ read: 0, written: 101_000, minute: 7 })).toBe('expired');
    const hourly = SESSION.map((counts) => ({ ...counts, ttl: '1h' as const }));
    const after = (minute: number): unknown => judged([...hourly, { read: 0, written: 101_000, minute }]).again?.cause;
    expect([after(61), after(62)]).toEqual(['front-changed-or-evicted', 'expired']);
  });

  describe('with two lifetimes in one session', () => {
    /** A front of 20,000 tokens written for an hour, and a history of 80,000 tokens written for five minutes. */
    const MIXED: readonly Counts[] = [
      { read: 0, written: 20_000, ttl: '1h' },
      { read: 20_000, written: 80_000, ttl: '5m', minute: 1 },
    ];
    const after = (minute: number, read: number): unknown =>
      judged([...MIXED, { read, written: 101_000 - read, minute }]).again?.cause;

    test('is `expired` after five minutes if the part written for an hour was read', () => {
      expect([after(5, 20_000), after(6, 20_000)]).toEqual(['history-changed', 'expired']);
    });

    test('is `front-changed-or-evicted` within the hour if nothing was read', () =>
      expect([after(30, 0), after(60, 0), after(61, 0)]).toEqual([
        'front-changed-or-evicted',
        'front-changed-or-evicted',
        'expired',
      ]));

    test('keeps the longer lifetime of entries that later calls read', () => {
      const later = [...MIXED, { read: 100_000, written: 0, minute: 5 }];
      const cause = (minute: number): unknown =>
        judged([...later, { read: 20_000, written: 81_000, minute }]).again?.cause;
      expect([cause(9), cause(10)]).toEqual(['history-changed', 'expired']);
    });

    test('is found for one call that wrote with both', () => {
      const left = leftBy(
        {
          ...call({ read: 0, written: 0 }),
          usage: {
            fresh: 0,
            read: 0,
            writes: [
              { ttl: '5m', tokens: 80_000 },
              { ttl: '1h', tokens: 20_000 },
            ],
          },
        },
        undefined,
      );
      const next = call({ read: 20_000, written: 81_000, minute: 6 });
      expect(judgeImport(next, { left, opened: undefined, arrived: 0 }).again?.cause).toBe('expired');
    });
  });

  test('is the recorded change of a setting, and only the second cause if the entries had expired', () => {
    const opened = { opened: 'reasoning' satisfies EpochCause } as const;
    expect(causeOf({ read: 0, written: 101_000 }, opened)).toBe('reasoning');
    expect(judged([...SESSION, { read: 0, written: 101_000, minute: 9 }], opened).again).toMatchObject({
      cause: 'expired',
      also: ['reasoning'],
    });
  });

  test('is what two recorded requests prove', () => {
    const unread = { read: 0, written: 101_000 };
    expect(causeOf(unread, { observed: 'front-changed' })).toBe('front-changed');
    expect(causeOf(unread, { observed: 'none' })).toBe('evicted');
    expect(causeOf({ read: 60_000, written: 41_000 }, { observed: 'none' })).toBe('edited');
  });

  const diagnosis = (reason: string): { readonly diagnosis: DiagnosisRecord } => ({
    diagnosis: { found: 'miss', reason },
  });

  test("is the provider's diagnosis, and `counted` keeps the cause that the counts show", () => {
    expect(
      judged([...SESSION, { minute: 3, read: 0, written: 101_000 }], diagnosis('tools_changed')).again,
    ).toMatchObject({ cause: 'front-changed', counted: 'front-changed-or-evicted' });
    const same = judged([...SESSION, { minute: 3, read: 60_000, written: 41_000 }], diagnosis('messages_changed'));
    expect(same.again).toMatchObject({ cause: 'edited' });
    expect(same.again).not.toHaveProperty('counted');
    expect(causeOf({ read: 0, written: 101_000 }, diagnosis('not_in_the_table'))).toBe('front-changed-or-evicted');
  });

  test('is not changed by a diagnosis without a result', () =>
    expect(causeOf({ read: 0, written: 101_000 }, { diagnosis: { found: 'unknown-response' } })).toBe(
      'front-changed-or-evicted',
    ));
});

describe('a request after a compaction', () => {
  test('could have read only the front that the first call read', () =>
    expect(judged([...SESSION, { minute: 3, read: 0, written: 20_000 }], { opened: 'compaction' })).toMatchObject({
      held: 8_000,
      unsent: 12_000,
      again: { cause: 'compaction', tokens: 8_000 },
    }));

  test('has paid nothing again if it read the front', () =>
    expect(judged([...SESSION, { minute: 3, read: 8_000, written: 12_000 }], { opened: 'compaction' })).toEqual({
      held: 8_000,
      unsent: 12_000,
    }));
});

describe('a request that is shorter than the one before it', () => {
  test('has paid again all that was not read and not recorded since', () =>
    expect(judged([...SESSION, { minute: 3, read: 30_000, written: 50_000 }], { arrived: 5_000 })).toEqual({
      held: 75_000,
      unsent: 5_000,
      again: expect.objectContaining({ cause: 'edited', from: 30_000, tokens: 45_000 }),
    }));

  test('has paid nothing again if its new texts account for the rest, as after a rewind', () =>
    expect(judged([...SESSION, { minute: 3, read: 30_000, written: 5_000 }], { arrived: 5_000 })).not.toHaveProperty(
      'again',
    ));
});

describe('a session whose requests no cache kept', () => {
  test('has the cause `below-floor` if the previous request was shorter than the floor', () =>
    // Sonnet 4.5 caches prefixes of 1,024 tokens or more. Fresh input costs $3 a million, a read $0.30.
    expect(
      judged([
        { read: 0, written: 0, fresh: 900 },
        { read: 0, written: 0, fresh: 1_000 },
      ]).again,
    ).toEqual({
      cause: 'below-floor',
      tokens: 900,
      from: 0,
      cost: '0.00243',
    }));

  test('has the cause `not-cached` if the previous request was long enough', () =>
    expect(
      judged([
        { read: 0, written: 0, fresh: 5_000 },
        { read: 0, written: 0, fresh: 6_000 },
      ]).again,
    ).toMatchObject({
      cause: 'not-cached',
      tokens: 5_000,
    }));

  test('has no cause if the counts of the writes are unknown', () =>
    expect(
      judged([
        { read: 0, fresh: 5_000 },
        { read: 0, fresh: 6_000 },
      ]),
    ).not.toHaveProperty('again'));
});

describe('a provider that caches without markers and reports no writes', () => {
  const grid = findModel(defaultCatalog(), 'gpt-5.1', 'openai') ?? SONNET;

  test('keeps the grid of the previous request for the next one', () => {
    expect(grid.implicit).toMatchObject({ at: 'grid', step: 128 });
    const first = { read: 0, fresh: 10_000, row: grid };
    expect(judged([first, { read: 9_984, fresh: 1_000, row: grid }])).toEqual({ held: 9_984, unsent: 984 });
    expect(judged([first, { read: 0, fresh: 11_000, row: grid }]).again).toMatchObject({
      cause: 'front-changed-or-evicted',
      tokens: 9_984,
    });
  });
});
