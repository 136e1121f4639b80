// Tests for the numbers that the Messages API reports: usage and diagnosis (provider-facts §1.4), the simulator's own
// token count, and the ledger.

import { describe, expect, it, test } from 'vitest';
import { createSimulator, totalInput } from '../src/index.ts';
import { bodyOf, mark, picture, refusal, send, simulate, text, texts, tool, user } from './conversation.ts';
import type { Wire } from './conversation.ts';

describe('§1.4 usage', () => {
  it('has exactly the fields of the real service, and `input_tokens` counts only the input after the last marker', () => {
    const fields = { messages: [user(mark(text('a'), '1h'), mark(text('b')), 'c')] };
    const answer = { thinking: 'abcd', text: 'efghijkl' };
    expect(send(simulate(), fields, { answer, sizes: () => 2000 }).usage).toEqual({
      input_tokens: 2000,
      cache_creation_input_tokens: 4000,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 2000 },
      output_tokens: 3,
      output_tokens_details: { thinking_tokens: 1 },
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: 'not_available',
      speed: 'standard',
    });
  });

  it('has three input fields whose sum is the whole input', () => {
    const simulator = simulate();
    send(simulator, { messages: [user(...texts(4), mark(text('x')))] }, { at: 0 });
    const { usage } = send(simulator, { messages: [user(...texts(4), 'x', mark(text('y')), 'z')] }, { at: 10 });
    expect([usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.input_tokens]).toEqual([
      5000, 1000, 1000,
    ]);
    expect(totalInput(usage)).toBe(7000);
  });

  it('can be reported wrongly by a fault, while the account stays correct', () => {
    const simulator = simulate();
    const outcome = send(simulator, {}, { fault: { kind: 'wrong-usage', usage: { input_tokens: 1 } } });
    expect([outcome.usage.input_tokens, outcome.message['usage']]).toMatchObject([1000, { input_tokens: 1 }]);
  });
});

describe('§1.4 the diagnosis of a cache miss', () => {
  const before: Wire = {
    tools: [tool('look')],
    system: 'brief',
    messages: [user('go')],
    diagnostics: { previous_message_id: null },
  };

  function reasonAfter(change: Wire): unknown {
    const simulator = simulate();
    const first = send(simulator, before, { at: 0 });
    const asked = { ...before, diagnostics: { previous_message_id: first.message['id'] }, ...change };
    return send(simulator, asked, { at: 10 }).message['diagnostics'];
  }

  const missed = 3000;
  test.each<[string, unknown, Wire]>([
    ['the model', { type: 'model_changed', cache_missed_input_tokens: missed }, { model: 'other-model' }],
    ['the speed', { type: 'model_changed', cache_missed_input_tokens: missed }, { speed: 'fast' }],
    ['the tools', { type: 'tools_changed', cache_missed_input_tokens: missed }, { tools: [tool('see')] }],
    ['the system text', { type: 'system_changed', cache_missed_input_tokens: missed }, { system: 'long' }],
    [
      'an earlier message',
      { type: 'messages_changed', cache_missed_input_tokens: missed },
      { messages: [user('gone')] },
    ],
    ['another parameter', { type: 'unavailable' }, { tool_choice: { type: 'none' } }],
    ['an unknown message', { type: 'previous_message_not_found' }, { diagnostics: { previous_message_id: 'msg_x' } }],
  ])('reports the reason of a miss after a change of this part: %s', (_, reason, change) => {
    expect(reasonAfter(change)).toEqual({ cache_miss_reason: reason });
  });

  it('does not find a message of another account', () => {
    const simulator = simulate();
    const first = send(simulator, before, { account: 'one' });
    const asked = { ...before, diagnostics: { previous_message_id: first.message['id'] } };
    expect(send(simulator, asked, { account: 'two' }).message['diagnostics']).toEqual({
      cache_miss_reason: { type: 'previous_message_not_found' },
    });
  });

  it('is null if the request only grew, or if the request asked for no diagnosis', () => {
    expect(reasonAfter({ messages: [user('go'), user('on')] })).toBeNull();
    expect(send(simulate(), {}).message['diagnostics']).toBeNull();
  });
});

describe("the simulator's own token count", () => {
  it('is bytes divided by four for a text, depends on the pixel size for an image, and is at least one for an image', () => {
    const simulator = simulate();
    const tokens = (content: Wire): unknown =>
      simulator.countTokens({ body: JSON.stringify({ model: 'test-model', messages: [user(content)] }) });
    expect(tokens(text('abcdefgh'))).toMatchObject({ inputTokens: 2 });
    expect(tokens(text('äö€'))).toMatchObject({ inputTokens: 2 });
    expect(tokens(picture())).toMatchObject({ inputTokens: 1 });
    expect(tokens({ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } })).toMatchObject({
      inputTokens: 1600,
    });
  });

  it('is replaced by the recorded size for each block that has one', () => {
    const body = bodyOf({ tools: [tool('look')], system: 'brief', messages: [user('abcd')] });
    const sizes = (index: number): number | undefined => [10, 100][index];
    expect(simulate().messages({ body, sizes })).toMatchObject({ usage: { input_tokens: 111 } });
  });

  it('is returned by `countTokens`, which refuses a request with `max_tokens` (§1.7)', () => {
    const simulator = simulate();
    const body = JSON.stringify({ model: 'test-model', messages: [user('abcdefgh')], system: 'abcd' });
    expect(simulator.countTokens({ body })).toMatchObject({ outcome: 'counted', inputTokens: 3 });
    expect(simulator.countTokens({ body: bodyOf({}) })).toMatchObject({
      message: 'max_tokens: Extra inputs are not permitted',
    });
    expect(simulator.calls.map((seen) => [seen.endpoint, seen.status])).toEqual([
      ['count_tokens', 200],
      ['count_tokens', 400],
    ]);
  });
});

describe('the ledger', () => {
  it('lists the calls that arrived, including refused ones, with the digest of their request bodies', () => {
    const simulator = simulate();
    const body = bodyOf({});
    simulator.messages({ body, at: 5, account: 'one' });
    refusal(simulator, { messages: [] }, { at: 6 });
    expect(simulator.calls).toMatchObject([
      { at: 5, endpoint: 'messages', account: 'one', model: 'test-model', status: 200, bytes: body.length },
      { at: 6, account: 'default', status: 400, refusal: { type: 'invalid_request_error' } },
    ]);
    expect(simulator.calls[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('keeps at most `ledgerCalls` calls', () => {
    const simulator = simulate({ ledgerCalls: 2 });
    for (const at of [1, 2, 3]) send(simulator, {}, { at });
    expect(simulator.calls.map((seen) => seen.at)).toEqual([2, 3]);
  });
});

describe('the shipped catalog', () => {
  it('is the default of a simulator without its own rows', () => {
    const simulator = createSimulator();
    expect(simulator.messages({ body: bodyOf({ model: 'claude-opus-5-5' }) }).status).toBe(200);
    expect(simulator.messages({ body: bodyOf({ model: 'claude-opus-99' }) })).toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
  });
});
