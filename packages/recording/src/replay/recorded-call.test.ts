import type { RecordedOf } from '@tidemark/log';
import { CHAIN_START, position, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';
import { recordedCall } from './recorded-call.ts';

function answered(stream: string): RecordedOf<'answer.received'> {
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
      usage: { fresh: 1, read: 2, writes: [{ ttl: '5m', tokens: 3 }] },
    },
  };
}

test('a call on a side stream is not part of the conversation, so it is not driven', () => {
  expect(recordedCall(answered('main'))?.input).toBe(6);
  expect(recordedCall(answered('side/title'))).toBeUndefined();
});
