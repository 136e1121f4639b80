import type { RecordedOf, Usage } from '@tidemark/log';
import { CHAIN_START, position, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import { recordedCall } from './recorded-call.ts';

const SORTED: Usage = { fresh: 1, read: 2, writes: [{ ttl: '5m', tokens: 3 }] };

function answered(stream: string, usage: Usage = SORTED): RecordedOf<'answer.received'> {
  return {
    kind: 'answer.received',
    at: timestamp('2026-11-20T12:00:00.000Z'),
    v: 1,
    position: position(1),
    fence: 1,
    chain: CHAIN_START,
    data: {
      step: 0,
      stream,
      provider: 'anthropic',
      model: 'm',
      parts: [],
      stop: 'end',
      truncated: 'no',
      usage,
    },
  };
}

test('a call on a side stream is not part of the conversation, so it is not driven', () => {
  expect(recordedCall(answered('main'))?.input).toBe(6);
  expect(recordedCall(answered('side/title'))).toBeUndefined();
});

test('a call whose input is not sorted into buckets has its whole input', () => {
  const total = recordedCall(answered('main', { read: 64, input: 100, answer: 6 }));
  expect([total?.input, total?.usage]).toEqual([100, { fresh: 36, read: 64, answer: 6 }]);
  const written = recordedCall(answered('main', { fresh: 0, read: 10, written: 90 }));
  expect([written?.input, written?.usage.writes]).toEqual([100, [{ ttl: '5m', tokens: 90 }]]);
});
