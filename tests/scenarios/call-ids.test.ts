// Call ids in a session that moves between providers: each provider creates ids from its own alphabet, and each must
// accept the ids of all others. For all recorded ids, a body contains valid, paired and distinct ids, and an id stays
// the same in every request.

import type { Event, Position, Recorded } from '@tidemark/log';
import { callId, CHAIN_START, position, sessionId, timestamp } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { emptyState, evolve } from '@tidemark/context';
import type { Block, Encoder, Front, Span } from '@tidemark/model';
import { loweringFor, sha256 } from '@tidemark/model/contract';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { openaiChatEncoder, openaiResponsesEncoder } from '@tidemark/provider-openai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const AT = timestamp('2026-11-20T12:00:00.000Z');
const ID = sessionId('s1');

interface Said {
  readonly provider: string;
  readonly calls: readonly string[];
}

const awkward = fc.constantFrom(
  'call_1',
  'call_1_4',
  'toolu_1',
  'call_1|fc_2',
  'call_1_fc_2',
  'tm_call_1_fc_2_4c8ac5e5ca00e553',
  'functions.read:0',
  'a'.repeat(64),
  'a'.repeat(65),
  `${'a'.repeat(65)}b`,
  '🙂',
  '🙃',
);
const anyId = fc.oneof(awkward, fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }));
const sessions = fc.array(
  fc.record({
    provider: fc.constantFrom('anthropic', 'openai'),
    calls: fc.uniqueArray(anyId, { minLength: 1, maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** Returns the packed history of a session with these answers, in which each call has a result. */
function packed(session: readonly Said[]): readonly Span[] {
  let state: State = emptyState();
  const take = (event: Event): Position => {
    const at = position(state.length);
    const record: Recorded = { ...event, v: 1, position: at, fence: 0, chain: CHAIN_START };
    state = evolve(state, record);
    return at;
  };
  take({ kind: 'session.created', at: AT, data: { id: ID, root: ID, workspace: '/w' } });
  take({ kind: 'prompt.given', at: AT, data: { parts: [{ type: 'text', text: 'go' }], presenter: 'test' } });
  for (const [step, { provider, calls }] of session.entries()) {
    const parts = calls.map((id) => ({ type: 'call', call: callId(id), name: 'read', arguments: '{}' }) as const);
    const whole = { stop: 'calls', truncated: 'no', usage: {} } as const;
    take({ kind: 'answer.received', at: AT, data: { step, stream: 'main', provider, model: 'm', parts, ...whole } });
    for (const id of calls.toReversed())
      take({ kind: 'tool.returned', at: AT, data: { call: callId(id), parts: [{ type: 'text', text: 'seen' }] } });
  }
  const { buffer, length } = state.history.packed;
  return buffer.slice(0, length);
}

interface Wire {
  readonly encoder: Encoder;
  readonly to: { readonly provider: string; readonly model: string };
  readonly valid: RegExp;
  /** `call` matches the id of a call in a body. `result` matches the id of the call that a result answers. */
  readonly call: RegExp;
  readonly result: RegExp;
}

const WIRES: readonly Wire[] = [
  {
    encoder: anthropicEncoder,
    to: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
    valid: /^[a-zA-Z0-9_-]+$/,
    call: /"type":"tool_use","id":"([^"]*)"/g,
    result: /"tool_use_id":"([^"]*)"/g,
  },
  {
    encoder: openaiResponsesEncoder,
    to: { provider: 'openai', model: 'gpt-5.6-sol' },
    valid: /^[a-zA-Z0-9_-]{1,64}$/,
    call: /"type":"function_call","call_id":"([^"]*)"/g,
    result: /"type":"function_call_output","call_id":"([^"]*)"/g,
  },
  {
    encoder: openaiChatEncoder,
    to: { provider: 'openai', model: 'gpt-5.6-sol' },
    valid: /^[a-zA-Z0-9_-]{1,64}$/,
    call: /\{"id":"([^"]*)","type":"function"/g,
    result: /"tool_call_id":"([^"]*)"/g,
  },
];

/**
 * Writes the request body of these spans. Returns the ids of the calls and of the results in the body, in order.
 * Writing throws if a call has no result.
 */
function idsIn({ encoder, to, call, result }: Wire, spans: readonly Span[]) {
  const lowering = loweringFor(to);
  const front: Front = { model: to.model, parameters: {}, tools: [], system: [] };
  const lowered = encoder.lowerFront(front, lowering);
  const blocks: readonly Block[] = [...lowered.blocks, ...spans.flatMap((one) => encoder.lowerSpan(one, lowering))];
  const { body } = encoder.join(lowered, sha256).write(blocks, [], { outputLimit: 100, fields: {}, betas: [] });
  const text = Buffer.from(body).toString();
  const found = (pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, id = '']) => id);
  return { calls: found(call), results: found(result) };
}

describe.each(WIRES.map((wire) => [wire.encoder.revision, wire] as const))('call ids for %s', (_name, wire) => {
  it('are valid and distinct, and each has its result, for any mix of earlier providers', () => {
    fc.assert(
      fc.property(sessions, (session) => {
        const { calls, results } = idsIn(wire, packed(session));
        expect(calls).toHaveLength(session.flatMap((one) => one.calls).length);
        for (const id of calls) expect(id).toMatch(wire.valid);
        expect(new Set(calls).size).toBe(calls.length);
        expect(results).toEqual(calls);
      }),
      { numRuns: 150 },
    );
  });

  it('stay the same when the session continues with any provider', () => {
    fc.assert(
      fc.property(sessions, sessions, (session, more) => {
        const { calls } = idsIn(wire, packed(session));
        expect(idsIn(wire, packed([...session, ...more])).calls.slice(0, calls.length)).toEqual(calls);
      }),
      { numRuns: 100 },
    );
  });
});
