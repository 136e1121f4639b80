// Tests for thinking that a client sends back. On models with the prefix check, thinking is bound to its conversation
// (provider-facts §1.8).

import { describe, expect, it, test } from 'vitest';
import type { Simulator } from '../src/index.ts';
import {
  assistant,
  call,
  mark,
  picture,
  refusal,
  result,
  send,
  simulate,
  text,
  thinking,
  tool,
  user,
} from './conversation.ts';
import type { Wire } from './conversation.ts';

const CONTROLS = ['thinking-binding-controls-2026-08-01'];
const OTHER_CONVERSATION =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

/**
 * Creates a conversation with three answers that contain thinking. Returns its messages in the form in which a client
 * sends them back.
 */
function conversation(
  simulator: Simulator,
  account = 'default',
): { readonly fields: Wire; readonly messages: readonly Wire[] } {
  const fields: Wire = { model: 'bound-model', tools: [tool('look')], system: [text('brief'), text('kind')] };
  let messages: readonly Wire[] = [user('go', 'now')];
  for (const [i, id] of ['a', 'b', 'c'].entries()) {
    const answer = { thinking: `thought ${i}`, calls: [{ id, name: 'look', arguments: { i } }] };
    const { message } = send(simulator, { ...fields, messages }, { answer, account });
    messages = [...messages, { role: 'assistant', content: message['content'] }, user(result(id), `next ${i}`)];
  }
  return { fields, messages };
}

function without(message: Wire | undefined, index: number): Wire {
  const content = message?.['content'];
  return { ...message, content: Array.isArray(content) ? content.filter((_, i) => i !== index) : [] };
}

describe('§1.8 the prefix check accepts', () => {
  test.each<[string, (fields: Wire, messages: readonly Wire[]) => Wire]>([
    ['the unchanged conversation', (fields, messages) => ({ ...fields, messages })],
    [
      'a longer conversation',
      (fields, messages) => ({ ...fields, messages: [...messages, assistant('so'), user('on')] }),
    ],
    ['markers elsewhere', (fields, messages) => ({ ...fields, system: [mark(text('brief')), text('kind')], messages })],
    [
      'an unreferenced deferred tool',
      (fields, messages) => ({ ...fields, tools: [tool('look'), tool('rare', { defer_loading: true })], messages }),
    ],
    [
      'other parameters',
      (fields, messages) => ({ ...fields, messages, thinking: { type: 'adaptive' }, tool_choice: { type: 'none' } }),
    ],
    [
      'the first thinking block removed',
      (fields, messages) => ({ ...fields, messages: messages.with(1, without(messages[1], 0)) }),
    ],
    [
      'the first two thinking blocks removed',
      (fields, messages) => ({
        ...fields,
        messages: messages.with(1, without(messages[1], 0)).with(3, without(messages[3], 0)),
      }),
    ],
  ])('%s', (_, change) => {
    const simulator = simulate();
    const { fields, messages } = conversation(simulator);
    expect(send(simulator, change(fields, messages)).status).toBe(200);
  });
});

describe('§1.8 the prefix check refuses', () => {
  test.each<[string, string, (fields: Wire, messages: readonly Wire[]) => Wire]>([
    [
      'another system text',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, system: [text('long')], messages }),
    ],
    [
      'another tool',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, tools: [tool('look'), tool('new')], messages }),
    ],
    [
      'an edited tool',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, tools: [tool('look', { description: 'x' })], messages }),
    ],
    [
      'an edited message',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(0, user('gone', 'now')) }),
    ],
    [
      'an old turn with an additional text',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(0, user('go', 'now', 'more')) }),
    ],
    [
      'an old turn with a missing text',
      'messages.1.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(0, user('go')) }),
    ],
    [
      'a shortened result',
      'messages.3.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(2, user(result('a', '[cut]'), 'next 0')) }),
    ],
    [
      'a middle thinking block removed',
      'messages.5.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(3, without(messages[3], 0)) }),
    ],
    [
      'an additional image',
      'messages.3.content.0',
      (fields, messages) => ({ ...fields, messages: messages.with(2, user(result('a'), 'next 0', picture())) }),
    ],
  ])('%s', (_, path, change) => {
    const simulator = simulate();
    const { fields, messages } = conversation(simulator);
    expect(refusal(simulator, change(fields, messages))).toMatchObject({
      status: 400,
      message: `${path}: ${OTHER_CONVERSATION}`,
    });
  });
});

describe('§1.8 thinking that a client sends back', () => {
  it('is dropped and reported if its prefix has changed and the request sets `drop_block`', () => {
    const simulator = simulate();
    const { fields, messages } = conversation(simulator);
    const binding = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const changed = { ...fields, system: [text('long')], messages, thinking: binding };
    const { message, usage } = send(simulator, changed, { betas: CONTROLS });
    expect(message['input_transformations']).toEqual(
      [1, 3, 5].map((i) => ({
        type: 'thinking_dropped',
        path: `messages.${i}.content.0`,
        reason: 'prefix_binding_mismatch',
      })),
    );
    expect(usage.input_tokens).toBe(13_000);
  });

  it('is refused with a special error text if it was edited in the latest answer (§1.6)', () => {
    const simulator = simulate();
    const { fields, messages } = conversation(simulator);
    const last = messages[5]?.['content'];
    const content = Array.isArray(last)
      ? last.map((block: Wire) => (block['type'] === 'thinking' ? { ...block, thinking: 'edited' } : block))
      : [];
    const edited = { ...fields, messages: messages.with(5, { role: 'assistant', content }) };
    expect(refusal(simulator, edited).message).toBe(
      'messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    );
  });

  it('may be missing when a client compacts the history into one message', () => {
    const simulator = simulate();
    const { fields } = conversation(simulator);
    expect(send(simulator, { ...fields, messages: [user('summary, and what next')] }).status).toBe(200);
  });

  it('is dropped if it belongs to another account or another model', () => {
    const simulator = simulate();
    const { fields, messages } = conversation(simulator, 'one');
    const reasons = (model: string, account: string): unknown =>
      send(simulator, { ...fields, model, messages }, { account, betas: CONTROLS }).message['input_transformations'];
    expect(reasons('bound-model', 'two')).toMatchObject([
      { reason: 'organization_binding_mismatch' },
      { reason: 'organization_binding_mismatch' },
      { reason: 'organization_binding_mismatch' },
    ]);
    expect(reasons('bound-sister', 'one')).toMatchObject([
      { reason: 'model_binding_mismatch' },
      { reason: 'model_binding_mismatch' },
      { reason: 'model_binding_mismatch' },
    ]);
  });

  it('is not bound to its prefix on a model without the prefix check', () => {
    const simulator = simulate({ recordedSignatures: 'issued' });
    const turn = (first: string): Wire => ({ messages: [user(first), assistant(thinking('hm', 's'), 'b'), user('c')] });
    send(simulator, turn('a'));
    expect(send(simulator, turn('changed')).status).toBe(200);
  });

  it('is bound to its prefix even if the thinking is redacted', () => {
    const simulator = simulate();
    const fields = { model: 'bound-model' };
    const blocks = [
      { type: 'redacted_thinking' as const, data: 'opaque' },
      { type: 'text' as const, text: 'b' },
    ];
    const { message } = send(simulator, { ...fields, messages: [user('a')] }, { answer: { blocks } });
    const back = { role: 'assistant', content: message['content'] };
    expect(send(simulator, { ...fields, messages: [user('a'), back, user('c')] }).status).toBe(200);
    expect(refusal(simulator, { ...fields, messages: [user('x'), back, user('c')] }).message).toContain(
      'Invalid `data` in `redacted_thinking` block.',
    );
  });
});

describe('recorded signatures', () => {
  const turn = (first: string): Wire => ({
    model: 'bound-model',
    messages: [user(first), assistant(thinking('hm', 'recorded'), call('a')), user(result('a'))],
  });

  it("are bound to the place where they are first seen with `recordedSignatures: 'issued'`", () => {
    const simulator = simulate({ recordedSignatures: 'issued' });
    send(simulator, turn('a'));
    send(simulator, turn('a'));
    expect(refusal(simulator, turn('other')).message).toBe(`messages.1.content.0: ${OTHER_CONVERSATION}`);
  });

  it('can be admitted one by one with `issueSignature`', () => {
    const simulator = simulate();
    expect(refusal(simulator, turn('a')).message).toBe('messages.1.content.0: Invalid `signature` in `thinking` block');
    simulator.issueSignature('recorded');
    send(simulator, turn('a'));
    expect(refusal(simulator, turn('other')).message).toBe(`messages.1.content.0: ${OTHER_CONVERSATION}`);
  });

  it('may all be equal, as in a sanitized recording', () => {
    const simulator = simulate({ recordedSignatures: 'issued' });
    const messages = [
      user('a'),
      assistant(thinking('one', '[REDACTED]'), 'b'),
      user('c'),
      assistant(thinking('two', '[REDACTED]'), 'd'),
      user('e'),
    ];
    expect(send(simulator, { model: 'bound-model', messages }).status).toBe(200);
  });

  it('are not bound to a place if they are placeholders', () => {
    const simulator = simulate({ recordedSignatures: 'issued' });
    const same = assistant(thinking('same', '[REDACTED]'), 'b');
    send(simulator, { model: 'bound-model', messages: [user('a'), same, user('c'), same, user('e')] });
    expect(send(simulator, { model: 'bound-model', messages: [user('other'), same, user('c')] }).status).toBe(200);
  });
});
