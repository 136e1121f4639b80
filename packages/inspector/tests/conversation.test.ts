// Tests the conversation of a session: the entries of its answers and calls.

import type { Event, Recorded } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/kit';
import { expect, test } from 'vitest';
import { addRecords, NO_CONVERSATION } from '../page/conversation.ts';

const at = timestamp('2026-11-20T12:00:00.000Z');
const id = sessionId('one');
const call = callId('c1');

async function recorded(...events: readonly Event[]): Promise<readonly Recorded[]> {
  const log = createMemoryStore();
  const writer = await log.create(id);
  const created: Event = { kind: 'session.created', at, data: { id, root: id, workspace: '/w' } };
  await writer.append([created, ...events], 0);
  await writer.close();
  return Array.fromAsync(log.read(id));
}

test('a blank text of an answer is no entry, and a result belongs to its call', async () => {
  const records = await recorded(
    {
      kind: 'answer.received',
      at,
      data: {
        step: 0,
        stream: 'main',
        provider: 'p',
        model: 'm',
        stop: 'calls',
        truncated: 'no',
        parts: [
          { type: 'text', text: '\n\n' },
          { type: 'text', text: 'I look.' },
          { type: 'call', call, name: 'look', arguments: '{}' },
        ],
        usage: {},
      },
    },
    { kind: 'tool.returned', at, data: { call, parts: [{ type: 'text', text: 'seen' }], durationMs: 1 } },
  );
  expect(addRecords(NO_CONVERSATION, records).entries).toMatchObject([
    { type: 'answer', text: 'I look.' },
    { type: 'call', name: 'look', state: 'returned', output: 'seen' },
  ]);
});
