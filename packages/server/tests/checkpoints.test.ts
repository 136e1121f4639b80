// Tests the checkpoints of a session over HTTP.

import { createMemoryStore } from '@tidemark/kit';
import type { Event } from '@tidemark/log';
import { position, sessionId, timestamp, turnId } from '@tidemark/log';
import { expect, test } from 'vitest';
import { openTestServer } from './test-server.ts';

const AT = timestamp('2026-01-02T03:04:05.000Z');

function compactedEvents(): readonly Event[] {
  const id = sessionId('compacted');
  const turn = turnId('t1');
  const imported = { format: 'claude-code', source: 'x.jsonl' };
  const given = (text: string): Event => ({
    kind: 'prompt.given',
    at: AT,
    turn,
    data: { parts: [{ type: 'text', text }], presenter: 'user' },
  });
  const said = (step: number, text: string): Event => ({
    kind: 'answer.received',
    at: AT,
    turn,
    data: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      stream: 'main',
      truncated: 'no',
      usage: { fresh: 10, read: 0, writes: [], answer: 5 },
      step,
      stop: 'end',
      parts: [{ type: 'text', text }],
    },
  });
  const range = { from: position(2), to: position(3) };
  return [
    { kind: 'session.created', at: AT, data: { id, root: id, workspace: '/w', imported } },
    { kind: 'turn.started', at: AT, turn, data: { trigger: 'user' } },
    given('Count the herons.'),
    said(0, 'Seven herons.'),
    {
      kind: 'history.compacted',
      at: AT,
      turn,
      data: {
        range,
        strategy: 'recorded',
        trigger: 'auto',
        checkpoint: 'There were seven herons.',
        limitations: ['Their names are lost.'],
        before: 900,
        after: 40,
      },
    },
    given('Go on.'),
    said(1, 'Eight now.'),
  ];
}

test('a checkpoint has the range that it replaced, its text, and the first request after it', async () => {
  const log = createMemoryStore();
  const writer = await log.create(sessionId('compacted'));
  expect(await writer.append(compactedEvents(), 0)).toMatchObject({ ok: true });
  await writer.close();
  await using server = await openTestServer({ log });
  const { body } = await server.send('GET', '/sessions/compacted/checkpoints');
  expect(body.checkpoints).toEqual([
    {
      position: 4,
      at: AT,
      strategy: 'recorded',
      trigger: 'auto',
      from: 2,
      to: 3,
      keeps: [],
      before: 900,
      after: 40,
      limitations: ['Their names are lost.'],
      text: 'There were seven herons.',
      replaced: { prompts: 1, answers: 1, results: 0 },
      request: 6,
    },
  ]);
});

test('a session without a compaction has no checkpoint, and an unknown session is refused', async () => {
  await using server = await openTestServer();
  const session: string = (await server.send('POST', '/sessions', {})).body.session;
  expect((await server.send('GET', `/sessions/${session}/checkpoints`)).body).toEqual({ checkpoints: [] });
  expect((await server.send('GET', '/sessions/absent/checkpoints')).status).toBe(404);
});
