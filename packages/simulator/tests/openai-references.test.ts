// Tests for items that refer to an item of a stored response by its id. The AI SDK sends them by default, from the
// second step of a tool loop on (provider-facts §2.4).

import { describe, expect, it } from 'vitest';
import type { AnsweredOpenAICall, Simulator } from '../src/index.ts';
import { createStoredResponses } from '../src/openai/responses/stored.ts';
import type { Wire } from './conversation.ts';
import {
  userMessage,
  functionTool,
  output,
  outputOf,
  refused,
  respond,
  simulateOpenAI,
} from './openai-conversation.ts';

const STORED = { store: true, tools: [functionTool('look')] };

const CALL = { calls: [{ id: 'call_1', name: 'look', arguments: {} }] };

const LOST =
  "Item with id 'fc_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";

describe('references to items of a stored response (§2.4)', () => {
  it('a reference stands for the stored call, and its result counts as answered', () => {
    const simulator = simulateOpenAI({ scenario: { steps: [{ answer: CALL }, { expect: { toolResult: 'seen' } }] } });
    const references = outputOf(respond(simulator, { ...STORED, input: [userMessage('go')] })).map(reference);
    const next = respond(simulator, { ...STORED, input: [userMessage('go'), ...references, output('call_1')] });
    expect([references.length, next.counts.input]).toEqual([1, 4_000]);
    expect(simulator.check()).toEqual([]);
  });

  it('a reference has the cache prefix of the item itself', () => {
    const simulator = simulateOpenAI();
    const [item = {}] = outputOf(respond(simulator, { ...STORED, input: [userMessage('go')] }));
    const sent = (shape: Wire): Wire => ({ ...STORED, input: [userMessage('go'), shape, userMessage('on')] });
    respond(simulator, sent(item));
    expect(respond(simulator, sent(reference(item))).counts.read).toBe(4_000);
  });

  it('the items of a response are forgotten with it, after 10,000 further responses', () => {
    const stored = createStoredResponses();
    const keep = (number: number): void =>
      stored.keep(`resp_${number}`, { account: 'own', parent: undefined, items: [{ id: `msg_${number}` }] });
    for (let number = 0; number < 10_000; number += 1) keep(number);
    expect(stored.item('msg_0', 'own')).toEqual({ id: 'msg_0' });
    keep(10_000);
    expect([stored.item('msg_0', 'own'), stored.item('msg_1', 'own')]).toEqual([undefined, { id: 'msg_1' }]);
  });

  it('a reference needs no type', () => {
    const simulator = simulateOpenAI();
    const [item] = outputOf(respond(simulator, { ...STORED, input: [userMessage('go')] }));
    expect(respond(simulator, { input: [{ id: item?.['id'] }, userMessage('on')] }).counts.input).toBe(2_000);
  });

  it('a response that continues a call with references has the items themselves', () => {
    const simulator = simulateOpenAI();
    const [item] = outputOf(respond(simulator, { ...STORED, input: [userMessage('go')] }));
    const second = respond(simulator, { store: true, input: [reference(item ?? {}), userMessage('on')] });
    expect(respond(simulator, { previous_response_id: idOf(second), input: [userMessage('and')] }).counts.input).toBe(
      4_000,
    );
  });

  it.each<readonly [string, (simulator: Simulator) => Wire, string]>([
    ['an item that was never stored', () => ({ type: 'item_reference', id: 'fc_1' }), 'default'],
    [
      'an item of a call with `store: false`',
      (simulator) => {
        const answer = { blocks: [{ type: 'tool_use' as const, id: 'call_1', name: 'look', arguments: {} }] };
        return reference(outputOf(respond(simulator, { input: [userMessage('go')] }, { answer }))[0] ?? {});
      },
      'default',
    ],
    ['an item of another account', (simulator) => reference(outputOf(respond(simulator, STORED))[0] ?? {}), 'other'],
  ])('refuses a reference to %s with 404', (_, make, account) => {
    const simulator = simulateOpenAI();
    const sent = make(simulator);
    const { status, type, param, code, message } = refused(
      simulator,
      { input: [userMessage('go'), sent] },
      { account },
    );
    expect([status, type, param, code]).toEqual([404, 'invalid_request_error', 'input', null]);
    expect(message).toBe(LOST.replace('fc_1', String(sent['id'])));
  });

  it.each([
    [{ type: 'item_reference' }, "Missing required parameter: 'input[0].id'."],
    [
      { type: 'item_reference', id: 5 },
      "Invalid type for 'input[0].id': expected a string, but got an integer instead.",
    ],
  ])('refuses the reference %j', (item, message) => {
    expect(refused(simulateOpenAI(), { input: [item] })).toMatchObject({ status: 400, message });
  });
});

function reference({ id }: Wire): Wire {
  return { type: 'item_reference', id };
}

function idOf({ body }: AnsweredOpenAICall): unknown {
  return body['id'];
}
