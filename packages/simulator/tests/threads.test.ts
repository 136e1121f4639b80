// Tests for message threads (provider-facts §1.7; docs, build-with-claude/message-threads): which requests continue a
// thread, what they cost, and how a request that cannot continue is refused.

import { describe, expect, it } from 'vitest';
import type { MessageRefusal, Simulator, SimulatorCall } from '../src/index.ts';
import { counts, mark, refusal, result, send, simulate, text, tool, user } from './conversation.ts';
import type { Wire } from './conversation.ts';

const betas = ['message-threads-2026-08-12'];

const CREATE: Wire = {
  system: [mark(text('rules'))],
  tools: [tool('look')],
  messages: [user(mark(text('go')))],
  thread: { type: 'create' },
};

const CALL = { answer: { calls: [{ id: 'toolu_1', name: 'look', arguments: {} }] } };

function create(simulator: Simulator, extra: Partial<SimulatorCall> = {}): string {
  return String(send(simulator, CREATE, { betas, ...CALL, ...extra }).message['id']);
}

function next(previous: string, fields: Wire = {}): Wire {
  return {
    messages: [user(result('toolu_1'))],
    thread: { type: 'continue', previous_message_id: previous },
    ...fields,
  };
}

function why(simulator: Simulator, fields: Wire, extra: Partial<SimulatorCall> = {}): MessageRefusal {
  return refusal(simulator, fields, { betas, ...extra });
}

describe('a message thread (§1.7)', () => {
  it('continues with the new messages only, and counts the whole conversation', () => {
    const simulator = simulate();
    const first = create(simulator);
    const sent = next(first, { messages: [user(mark(result('toolu_1')))] });
    expect(counts(send(simulator, sent, { betas }))).toEqual([3_000, 2_000, 0]);
  });

  it('continues from each new response', () => {
    const simulator = simulate();
    const second = send(simulator, next(create(simulator)), { betas });
    const third = next(String(second.message['id']), { messages: [user(mark(text('and?')))] });
    expect(counts(send(simulator, third, { betas }))).toEqual([3_000, 4_000, 0]);
  });

  it('reads up to the marker of `system` if the new messages have no marker', () => {
    const simulator = simulate();
    expect(counts(send(simulator, next(create(simulator)), { betas }))).toEqual([2_000, 0, 3_000]);
  });

  it('does not count the markers of stored messages again', () => {
    const simulator = simulate();
    let previous = create(simulator);
    const turns = Array.from({ length: 5 }, (_, i) => {
      const messages = [user(...(i === 0 ? [result('toolu_1')] : []), mark(text(`turn ${i}`)))];
      const answered = send(simulator, next(previous, { messages }), { betas });
      previous = String(answered.message['id']);
      return answered.status;
    });
    expect(turns).toEqual([200, 200, 200, 200, 200]);
  });

  it('shows scenarios and routes the whole conversation', () => {
    const scenario = {
      routes: [
        { match: { call: 1 }, steps: [CALL] },
        { match: { system: 'rules', tools: ['look'], toolResult: 'seen', prompt: 'go' }, steps: [{}] },
      ],
    };
    const simulator = simulate({ scenario });
    const first = String(send(simulator, CREATE, { betas }).message['id']);
    send(simulator, next(first), { betas });
    expect(simulator.check()).toEqual([]);
  });

  it('can be continued for less than five minutes after the latest answer began', () => {
    const simulator = simulate({ firstByteMs: 0 });
    const first = create(simulator, { at: 1_000 });
    const second = String(send(simulator, next(first), { betas, at: 300_999 }).message['id']);
    const late = next(second, { messages: [user('and?')] });
    expect(why(simulator, late, { at: 600_999 })).toMatchObject({ status: 404, type: 'not_found_error' });
    expect(why(simulator, late, { at: 600_999 }).details).toEqual({ error_code: 'thread_not_found' });
  });

  it.each<readonly [string, (simulator: Simulator) => MessageRefusal, 400 | 404, string]>([
    ['an unknown response', (simulator) => why(simulator, next('msg_unknown')), 404, 'thread_not_found'],
    [
      'a response of another account',
      (simulator) => why(simulator, next(create(simulator)), { account: 'other' }),
      404,
      'thread_not_found',
    ],
    [
      'a response to a request without `thread`',
      (simulator) => why(simulator, next(String(send(simulator, {}).message['id']))),
      404,
      'thread_not_found',
    ],
    [
      'a response that was continued',
      (simulator) => {
        const first = create(simulator);
        send(simulator, next(first), { betas });
        return why(simulator, next(first));
      },
      400,
      'thread_already_continued',
    ],
    [
      'a thread of another model',
      (simulator) => why(simulator, next(create(simulator), { model: 'other-model' })),
      400,
      'thread_fingerprint_mismatch',
    ],
    [
      'a thread with other betas',
      (simulator) => why(simulator, next(create(simulator)), { betas: [...betas, 'other-2026-01-01'] }),
      400,
      'thread_fingerprint_mismatch',
    ],
  ])('refuses to continue from %s', (_, make, status, code) => {
    const refused = make(simulate());
    expect([refused.status, refused.details]).toEqual([status, { error_code: code }]);
  });

  it('names the fields that differ from those of the thread', () => {
    const simulator = simulate();
    const fields = { output_config: { effort: 'low' }, tool_choice: { type: 'none' } };
    expect(why(simulator, next(create(simulator), fields)).message).toContain(
      'Differing field(s): tool_choice, output_config.',
    );
  });

  it('can be continued after a refused attempt', () => {
    const simulator = simulate();
    const first = create(simulator);
    why(simulator, next(first, { messages: [user('no result')] }));
    expect(send(simulator, next(first), { betas }).status).toBe(200);
  });

  it.each<readonly [string, Wire, readonly string[], string]>([
    ['without the beta', CREATE, [], 'thread: Extra inputs are not permitted'],
    ['that is no object', { thread: 'create' }, betas, 'thread: Input should be a valid dictionary'],
    [
      'of an unknown type',
      { thread: { type: 'fork' } },
      betas,
      "thread: Input tag 'fork' found using 'type' does not match any of the expected tags: 'create', 'continue'",
    ],
    [
      'that continues from nothing',
      { thread: { type: 'continue' } },
      betas,
      'thread.continue.previous_message_id: Field required',
    ],
    [
      'that continues with `system`',
      { ...next('msg_1'), system: 'rules' },
      betas,
      "system: cannot be sent with thread.type 'continue', because the thread keeps its value",
    ],
  ])('refuses a thread %s', (_, fields, given, message) => {
    expect(refusal(simulate(), fields, { betas: given })).toMatchObject({ status: 400, message });
  });

  it('forgets its conversations after a reset', () => {
    const simulator = simulate();
    const first = create(simulator);
    simulator.reset();
    expect(why(simulator, next(first)).details).toEqual({ error_code: 'thread_not_found' });
  });
});
