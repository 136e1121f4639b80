// Tests the costs of a session in other cases. The amounts are calculated by hand from the prices of claude-opus-4-6, in
// US dollars for 1,000,000 tokens: input 5, read 0.5, written for 5 minutes 6.25, for 1 hour 10, output 25.

import { newHash } from '@tidemark/agent';
import { beginSequence, emptyState, extendSequence, parameterDigests } from '@tidemark/context';
import type { Usage } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Block, Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { KnownRequest, RecordName, SessionRequests } from '../session-requests.ts';
import type { WhatIf, WhatIfCase } from './what-if.ts';
import { readWhatIf } from './what-if.ts';

const MODEL = 'claude-opus-4-6';
const found = findModel(defaultCatalog(), MODEL, 'anthropic');
if (found === undefined) throw new Error(`no row for ${MODEL}`);
const ROW: Capabilities = found;

const base = { group: 0, tail: '', markable: true, run: 'none', opensTurn: false, mediaBytes: 0 } as const;

/** Returns the block of a layer. */
const layer = (tokens: number): Block => ({
  ...base,
  section: 'system',
  role: 'system',
  holds: 'text',
  group: -1,
  head: `front of ${tokens}`,
  origin: { from: 'layer', layer: 'role', revision: '1' },
  tokens,
});

/** Returns the block of a record. A pruned block has another text and another size. */
const block = (record: number, tokens: number): Block => ({
  ...base,
  section: 'messages',
  role: 'user',
  holds: 'result',
  head: `record ${record} of ${tokens}`,
  origin: { from: 'event', session: 's1', position: record },
  part: 0,
  tokens,
});

interface TestCall {
  readonly blocks: readonly Block[];
  /** Minutes from the first call. */
  readonly minute: number;
  readonly usage: Usage;
  readonly stream?: string;
  /** Render parameter of the request. */
  readonly effort?: string;
}

function sessionOf(
  calls: readonly TestCall[],
  kinds: readonly string[] = [],
  row: Capabilities = ROW,
): SessionRequests {
  const at = (minute: number): string => new Date(Date.UTC(2026, 10, 21, 12, minute)).toISOString();
  const requests = calls.map(({ minute, usage, stream = 'main' }, step): KnownRequest => ({
    source: 'sent',
    position: 100 + step,
    step,
    stream,
    purpose: 'main',
    at: at(minute),
    model: MODEL,
    provider: 'anthropic',
    state: emptyState(),
    answer: { position: 200 + step, usage },
  }));
  const sequences = new Map(
    calls.map(({ blocks, effort = 'high' }, index) => {
      const rules = { renderParameters: { effort: 'messages' } } as const;
      const begun = beginSequence(parameterDigests(MODEL, { effort }, rules, newHash), [layer(1_000)], newHash);
      return [requests[index], extendSequence(begun, blocks)] as const;
    }),
  );
  return {
    session: sessionId('s1'),
    requests,
    names: kinds.map((kind): RecordName => ({ kind, at: at(0) })),
    async sequence(request) {
      const sequence = sequences.get(request);
      if (sequence === undefined) throw new Error('no such request');
      return { sequence, capabilities: row };
    },
  };
}

const usage = (read: number, written: number): Usage => ({
  fresh: 0,
  read,
  writes: [{ ttl: '5m', tokens: written }],
  answer: 10,
});

function caseOf({ cases }: WhatIf, change: WhatIfCase['change'], name = ''): WhatIfCase | undefined {
  return cases.find((one) => one.change === change && one.name === name);
}

const GROWING = [
  { minute: 0, blocks: [block(1, 500)], usage: usage(0, 1_500) },
  { minute: 1, blocks: [block(1, 500), block(2, 200)], usage: usage(1_500, 200) },
  { minute: 11, blocks: [block(1, 500), block(2, 200), block(3, 300)], usage: usage(0, 2_000) },
];

test('the replay of a session without hidden misses costs what was paid', async () => {
  const whatIf = await readWhatIf(sessionOf(GROWING));
  expect(whatIf).toMatchObject({ calls: 3, unknown: 0, others: 0, paid: '0.024625', replayed: '0.024625' });
  expect(whatIf.cases.filter(({ change }) => change === 'pruning' || change === 'compaction')).toEqual([]);
});

test('a longer lifetime reads after a pause and writes at its own price', async () => {
  const whatIf = await readWhatIf(sessionOf(GROWING));
  expect(caseOf(whatIf, 'lifetime', '5m')).toMatchObject({ calls: 3, cost: '0.024625', compared: '0.024625' });
  // Written 1,500 + 200 + 300, read 1,500 + 1,700.
  expect(caseOf(whatIf, 'lifetime', '1h')).toMatchObject({ calls: 3, cost: '0.02235', compared: '0.024625' });
  expect(caseOf(whatIf, 'lifetime', '30m')).toBeUndefined();
});

test('without pruning, a result keeps its first size, and the request is not broken', async () => {
  const kinds = ['session.created', 'prompt.given', 'tool.returned', 'history.pruned', 'prompt.given'];
  const calls = [
    { minute: 0, blocks: [block(1, 500), block(2, 400)], usage: usage(0, 1_900) },
    { minute: 1, blocks: [block(1, 500), block(2, 20), block(4, 80)], usage: usage(1_500, 100) },
    { minute: 2, blocks: [block(1, 500), block(2, 20), block(4, 80), block(5, 50)], usage: usage(1_600, 50) },
  ];
  const whatIf = await readWhatIf(sessionOf(calls, kinds));
  expect(whatIf).toMatchObject({ prunings: 1, compactions: 0 });
  // As it was: written 1,900 + 100 + 50, read 1,500 + 1,600. Without: written 1,900 + 80 + 50, read 1,900 + 1,980.
  expect(caseOf(whatIf, 'pruning')).toMatchObject({ calls: 3, compared: '0.0151125', cost: '0.0153775' });
});

const COMPACTED = {
  kinds: ['session.created', 'prompt.given', 'answer.received', 'history.compacted', 'prompt.given'],
  calls: [
    { minute: 0, blocks: [block(1, 500), block(2, 400)], usage: usage(0, 1_900) },
    { minute: 1, blocks: [block(3, 100), block(2, 400), block(4, 80)], usage: usage(1_000, 580) },
    { minute: 2, blocks: [block(3, 100), block(2, 400), block(4, 80), block(5, 50)], usage: usage(1_580, 50) },
  ],
};

test('without compaction, the history keeps all messages and has no checkpoint', async () => {
  const whatIf = await readWhatIf(sessionOf(COMPACTED.calls, COMPACTED.kinds));
  expect(whatIf).toMatchObject({ prunings: 0, compactions: 1 });
  // As it was: written 1,900 + 580 + 50, read 1,000 + 1,580. Without: written 1,900 + 80 + 50, read 1,900 + 1,980.
  expect(caseOf(whatIf, 'compaction')).toMatchObject({ calls: 3, compared: '0.0178525', cost: '0.0153775' });
});

test('a case ends at the first request that would pass the input limit', async () => {
  const whatIf = await readWhatIf(sessionOf(COMPACTED.calls, COMPACTED.kinds, { ...ROW, inputLimit: 1_990 }));
  // The first two requests only: written 1,900 + 80, read 1,900, compared with written 1,900 + 580, read 1,000.
  expect(caseOf(whatIf, 'compaction')).toEqual({
    change: 'compaction',
    name: '',
    calls: 2,
    cost: '0.013825',
    compared: '0.0165',
    stopsAt: 2,
  });
  expect(caseOf(whatIf, 'lifetime', '5m')).not.toHaveProperty('stopsAt');
});

test('a request after other parameters reads what the last one with its own parameters wrote', async () => {
  const [first, second, third] = GROWING;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three calls');
  const calls = [
    first,
    { ...second, effort: 'low', usage: usage(1_000, 700) },
    { ...third, minute: 2, usage: usage(1_500, 500) },
  ];
  // Written 1,500 + 700 + 500, and read 1,000 of the front and 1,500 of the first request.
  expect(await readWhatIf(sessionOf(calls))).toMatchObject({ calls: 3, paid: '0.018875', replayed: '0.018875' });
});

test('calls with unknown tokens and calls of side streams are counted, and are in no sum', async () => {
  const [first, second, third] = GROWING;
  if (first === undefined || second === undefined || third === undefined) throw new Error('there are three calls');
  const whatIf = await readWhatIf(
    sessionOf([first, { ...second, usage: { answer: 10 } }, { ...third, minute: 2, stream: 'title' }]),
  );
  expect(whatIf).toMatchObject({ calls: 1, unknown: 1, others: 1, paid: '0.009625', replayed: '0.009625' });
  // The call after one of unknown tokens reads what that call had in common with it.
  const gap = await readWhatIf(sessionOf([first, { ...second, minute: 4, usage: {} }, { ...third, minute: 8 }]));
  expect(gap).toMatchObject({ calls: 2, unknown: 1, replayed: '0.0126' });
});

test('another model is priced for the same tokens, and compared with what was paid', async () => {
  const whatIf = await readWhatIf(sessionOf(GROWING));
  const names = whatIf.cases.filter(({ change }) => change === 'model').map(({ name }) => name);
  expect(names).not.toContain(MODEL);
  // claude-sonnet-4-6: read 0.3, written 3.75, output 15.
  expect(caseOf(whatIf, 'model', 'claude-sonnet-4-6')).toEqual({
    change: 'model',
    name: 'claude-sonnet-4-6',
    calls: 3,
    cost: '0.014775',
    compared: '0.024625',
  });
});

test('a session without calls has no cases', async () => {
  expect(await readWhatIf(sessionOf([]))).toMatchObject({ calls: 0, paid: '0', replayed: '0', cases: [] });
});
