// Tests for the reasoning of stateless clients (provider-facts §2.4). The simulator encrypts the reasoning, and checks
// it when the client sends it back. Also tests stored responses.

import { describe, expect, it } from 'vitest';
import type { Simulator, SimulatorOptions } from '../src/index.ts';
import type { Wire } from './conversation.ts';
import {
  userMessage,
  output,
  outputOf,
  refused,
  respond,
  assistantMessage,
  simulateOpenAI,
} from './openai-conversation.ts';

const SUMMARY = { reasoning: { summary: 'auto' } };
const THINKS = { thinking: 'hm', calls: [{ id: 'call_1', name: 'look', arguments: '{"path":"a.ts"}' }] };

interface Thought {
  readonly simulator: Simulator;
  readonly question: Wire;
  readonly reasoning: Wire;
  readonly call: Wire;
  readonly rest: readonly Wire[];
}

function think(fields: Wire = {}, options: SimulatorOptions = {}, answer: object = THINKS): Thought {
  const simulator = simulateOpenAI(options);
  const question = userMessage('look at it');
  const items = outputOf(respond(simulator, { ...SUMMARY, ...fields, input: [question] }, { answer }));
  const [reasoning = {}, call = {}, ...rest] = items;
  return { simulator, question, reasoning, call, rest };
}

describe('an encrypted reasoning item', () => {
  it('is accepted if it is unchanged and directly before the item that followed it', () => {
    const { simulator, question, reasoning, call } = think();
    expect(reasoning).toMatchObject({ type: 'reasoning', encrypted_content: expect.stringMatching(/^gAAAAAB/) });
    expect(respond(simulator, { input: [question, reasoning, call, output('call_1')] }).status).toBe(200);
  });

  it('is accepted without ids, which a client may omit', () => {
    const { simulator, question, reasoning, call } = think();
    const { id: _id, ...bare } = reasoning;
    const { id: _callId, status: _status, ...plain } = call;
    expect(respond(simulator, { input: [question, bare, plain, output('call_1')] }).status).toBe(200);
  });

  it('is sent to the client only if the request asks for it', () => {
    expect(think({ include: [] }).reasoning).not.toHaveProperty('encrypted_content');
    expect(think({ reasoning: {} }).reasoning).toMatchObject({ summary: [] });
  });

  it('is refused if it was changed, was never issued, or belongs to another organisation or model', () => {
    const { simulator, question, reasoning, call } = think();
    const sent = (item: Wire, fields: Wire = {}, extra = {}): unknown =>
      refused(simulator, { ...fields, input: [question, item, call, output('call_1')] }, extra);
    const unverified = {
      status: 400,
      code: 'invalid_encrypted_content',
      message: expect.stringMatching(
        /^The encrypted content gAAA\.\.\..{4} could not be verified\. Reason: Encrypted content could not/,
      ),
    };
    expect(sent({ ...reasoning, encrypted_content: 'gAAAAABforged' })).toMatchObject(unverified);
    expect(sent({ ...reasoning, summary: [] })).toMatchObject(unverified);
    expect(sent({ ...reasoning, id: 'rs_other' })).toMatchObject(unverified);
    expect(sent(reasoning, { model: 'gpt-new-sister' })).toMatchObject(unverified);
    expect(sent(reasoning, {}, { account: 'two' })).toMatchObject({
      message: expect.stringContaining('organization_id did not match'),
    });
  });

  it('is refused if the item that followed it is missing, moved or changed', () => {
    const { simulator, question, reasoning, call } = think();
    const torn = {
      status: 400,
      param: 'input',
      code: null,
      message: `Item '${String(reasoning['id'])}' of type 'reasoning' was provided without its required following item.`,
    };
    expect(refused(simulator, { input: [question, reasoning] })).toMatchObject(torn);
    expect(refused(simulator, { input: [question, reasoning, userMessage('go on')] })).toMatchObject(torn);
    expect(refused(simulator, { input: [reasoning, question, call, output('call_1')] })).toMatchObject(torn);
    expect(refused(simulator, { input: [question, reasoning, assistantMessage('something else')] })).toMatchObject(
      torn,
    );
    const other = { ...call, id: undefined, call_id: 'call_2' };
    expect(refused(simulator, { input: [question, reasoning, other, output('call_2')] })).toMatchObject(torn);
  });

  it('is required before the item that followed it if the client sends that item back with its id', () => {
    const { simulator, question, reasoning, call } = think();
    expect(refused(simulator, { input: [question, call, output('call_1')] }).message).toBe(
      `Item '${String(call['id'])}' of type 'function_call' was provided without its required 'reasoning' item: '${String(reasoning['id'])}'.`,
    );
  });

  it('is not found without its encrypted content, except if the service stored the item', () => {
    const { simulator, question, reasoning, call } = think();
    const { encrypted_content: _seal, ...bare } = reasoning;
    expect(refused(simulator, { input: [question, bare, call, output('call_1')] })).toMatchObject({
      status: 404,
      message: `Item with id '${String(bare['id'])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    });
    const kept = think({ store: true, include: [] });
    const input = [kept.question, kept.reasoning, kept.call, output('call_1')];
    expect(respond(kept.simulator, { input }).status).toBe(200);
  });

  it('can be followed by another reasoning item, but only in the order in which they were issued', () => {
    const blocks = [
      { type: 'thinking', thinking: 'one' },
      { type: 'thinking', thinking: 'two' },
      { type: 'text', text: 'so' },
    ] as const;
    const { simulator, question, reasoning, call: second, rest } = think({}, {}, { blocks });
    const [message = {}] = rest;
    expect(respond(simulator, { input: [question, reasoning, second, message, userMessage('and')] }).status).toBe(200);
    expect(refused(simulator, { input: [question, second, reasoning, message, userMessage('and')] }).status).toBe(400);
  });

  it('is never accepted if the answer was cut inside the reasoning', () => {
    const { simulator, question, reasoning } = think(
      { max_output_tokens: 16 },
      {},
      { thinking: 'hm '.repeat(100), text: 'so' },
    );
    expect(refused(simulator, { input: [question, reasoning, userMessage('go on')] }).message).toContain(
      'required following',
    );
  });

  it("of a recording counts as issued with `recordedSignatures: 'issued'`", () => {
    const simulator = simulateOpenAI({ recordedSignatures: 'issued' });
    const recorded = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABrecorded' };
    expect(
      respond(simulator, { input: [userMessage('a'), recorded, assistantMessage('b'), userMessage('c')] }).status,
    ).toBe(200);
    expect(refused(simulator, { input: [userMessage('a'), recorded, userMessage('c')] }).message).toContain(
      'required following',
    );
  });

  it('is part of the cached prefix when the client sends it back', () => {
    const { simulator, question, reasoning, call } = think();
    const input = [question, reasoning, call, output('call_1')];
    respond(simulator, { input });
    expect(respond(simulator, { input: [...input, userMessage('next')] }).counts.read).toBe(4000);
  });
});

describe('a stored response', () => {
  it('can be continued by its id any number of times, and its instructions are not carried over', () => {
    const simulator = simulateOpenAI();
    const first = respond(simulator, { store: true, instructions: 'rules', input: [userMessage('a')] });
    const second = respond(simulator, {
      store: true,
      previous_response_id: first.body['id'],
      input: [userMessage('b')],
    });
    const third = respond(simulator, { previous_response_id: second.body['id'], input: [userMessage('c')] });
    expect([first, second, third].map(({ counts }) => counts.input)).toEqual([2000, 3000, 5000]);
    expect(respond(simulator, { previous_response_id: first.body['id'], input: [userMessage('d')] }).counts.input).toBe(
      3000,
    );
  });

  it('is not found if the client did not store it, if it belongs to another account, or if it never existed', () => {
    const simulator = simulateOpenAI();
    const lost = (id: unknown, account = 'default'): unknown =>
      refused(simulator, { previous_response_id: id, input: [userMessage('b')] }, { account });
    const unstored = respond(simulator, { input: [userMessage('a')] }).body['id'];
    const stored = respond(simulator, { store: true, input: [userMessage('a')] }).body['id'];
    expect(lost(unstored)).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: `Previous response with id '${String(unstored)}' not found.`,
    });
    expect(lost(stored, 'two')).toMatchObject({ code: 'previous_response_not_found' });
    expect(lost('resp_none')).toMatchObject({ code: 'previous_response_not_found' });
  });

  it('causes a refusal of new input that repeats one of its items, or that contains no output for its calls', () => {
    const simulator = simulateOpenAI();
    const first = respond(simulator, { store: true, input: [userMessage('a')] }, { answer: THINKS });
    const previous = { previous_response_id: first.body['id'] };
    expect(refused(simulator, { ...previous, input: [userMessage('b')] }).message).toBe(
      'No tool output found for function call call_1.',
    );
    const call = outputOf(first)[1] ?? {};
    expect(refused(simulator, { ...previous, input: [call, output('call_1')] }).message).toBe(
      `Duplicate item found with id ${String(call['id'])}. Remove duplicate items from your input and try again.`,
    );
  });
});
