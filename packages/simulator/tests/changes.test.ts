// Tests for changes of tools and effort inside the history: the allowed places of such a change, the betas and models
// that it needs, and the tools that it names. Source: Anthropic's docs, mid-conversation-system-messages and
// effort-per-message. The error texts about the place are those of the real service on 2026-10-06.

import { describe, expect, it, test } from 'vitest';
import {
  assistant,
  call,
  offers,
  refusal,
  result,
  send,
  simulate,
  system,
  text,
  tool,
  user,
  withdraws,
} from './conversation.ts';
import type { Wire } from './conversation.ts';
import { userMessage, refused, respond, simulateOpenAI } from './openai-conversation.ts';

const INLINE = ['inline-tools-2026-09-15'];
const BY_REFERENCE = ['mid-conversation-tool-changes-2026-07-01'];
const EFFORT = ['mid-conversation-output-config-2026-07-01'];
const ANYWHERE = '; the directive-only form (content: [] with output_config) is accepted at any position';

const level = (effort: unknown, more: Wire = {}): Wire => ({
  role: 'system',
  content: [],
  output_config: { effort },
  ...more,
});
const followedBy = (...messages: readonly Wire[]): Wire => ({
  model: 'appending',
  tools: [tool('look')],
  messages: [user('go'), ...messages],
});

describe('a change of tools in a system message', () => {
  test.each<[string, Wire, readonly string[]]>([
    ['a new definition', followedBy(system(offers(tool('new')))), INLINE],
    [
      'a new definition of an existing tool',
      followedBy(system(offers(tool('look', { description: 'other' })))),
      INLINE,
    ],
    ['the removal of a tool', followedBy(system(withdraws('look'))), BY_REFERENCE],
    [
      'a removed tool that is added again by its name',
      followedBy(system(withdraws('look')), assistant('so'), user('on'), system(offers('look'))),
      INLINE,
    ],
    [
      'the addition by name of a tool that was defined in the same message',
      followedBy(system(offers(tool('new')), withdraws('new'), offers('new'))),
      INLINE,
    ],
    [
      'an addition before a system message with text',
      followedBy(system(offers(tool('new'))), system(text('there it is'))),
      INLINE,
    ],
    [
      'an addition after tool results',
      followedBy(assistant(call('a')), user(result('a')), system(offers(tool('new')))),
      INLINE,
    ],
  ])('is accepted: %s', (_what, fields, betas) => {
    expect(send(simulate(), fields, { betas }).outcome).toBe('answered');
  });

  test.each<[string, Wire, readonly string[], string]>([
    [
      'without a beta',
      followedBy(system(offers('look'))),
      [],
      "messages.1.content.0: Input tag 'tool_addition' found using 'type' does not match any of the expected tags: 'text'",
    ],
    [
      'a definition with only the older beta',
      followedBy(system(offers(tool('new')))),
      BY_REFERENCE,
      "messages.1.content.0.tool_addition.tool: Input tag 'tool_definition' found using 'type' does not match any of the expected tags: 'tool_reference'",
    ],
    [
      'on a model that does not support it',
      { ...followedBy(system(offers(tool('new')))), model: 'test-model' },
      INLINE,
      'messages.1.content.0: `tool_addition` is not supported on this model',
    ],
    [
      'an addition in a user message',
      followedBy(user(offers(tool('new')))),
      INLINE,
      'messages.1: `tool_addition` blocks can only be in `system` messages',
    ],
    [
      'the removal of a tool that was never defined',
      followedBy(system(withdraws('nothing'))),
      INLINE,
      "messages.1.content.0.tool_removal.tool: Tool reference 'nothing' not found",
    ],
    [
      'a definition without a schema',
      followedBy(system(offers({ name: 'new' }))),
      INLINE,
      'messages.1.content.0.tool_addition.tool.definition.custom.input_schema: Field required',
    ],
  ])('is refused: %s', (_what, fields, betas, message) => {
    expect(refusal(simulate(), fields, { betas })).toMatchObject({ status: 400, message });
  });

  it('determines the tools that the hook receives', () => {
    const offered: (readonly string[])[] = [];
    const simulator = simulate({ onRequest: ({ tools }) => void offered.push(tools) });
    send(simulator, followedBy(system(offers(tool('new')), withdraws('look'))), { betas: INLINE });
    expect(offered).toEqual([['new']]);
  });
});

describe('a system message in the history', () => {
  test.each<[string, readonly Wire[], string]>([
    [
      'first',
      [system(text('be brief')), user('go')],
      `messages.0: use the top-level 'system' parameter for the initial system prompt${ANYWHERE}`,
    ],
    [
      'after an answer',
      [user('go'), assistant('so'), system(text('be brief')), user('on')],
      `messages.2: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result${ANYWHERE}`,
    ],
    [
      'between two user messages',
      [user('go'), system(text('be brief')), user('on')],
      `messages.1: role 'system' must precede an 'assistant' message or end the array${ANYWHERE}`,
    ],
    [
      'between two user messages, after a message with an effort',
      [user('go'), level('low'), system(text('be brief')), user('on')],
      `messages.2: role 'system' must precede an 'assistant' message or end the array${ANYWHERE}`,
    ],
  ])('is refused at this place: %s', (_where, messages, message) => {
    expect(refusal(simulate(), { model: 'appending', messages }, { betas: EFFORT })).toMatchObject({ message });
  });

  test.each<[string, readonly Wire[]]>([
    ['first', [level('low'), user('go')]],
    ['after an answer', [user('go'), assistant('so'), level('low'), user('on')]],
    ['between two user messages', [user('go'), level('low'), user('on')]],
    ['at the end', [user('go'), level('low')]],
  ])('is accepted at this place if it only sets an effort: %s', (_where, messages) => {
    expect(send(simulate(), { model: 'appending', messages }, { betas: EFFORT }).outcome).toBe('answered');
  });

  test.each<[string, Wire, readonly string[], string]>([
    ['without its beta', followedBy(level('low')), [], 'messages.1.output_config: Extra inputs are not permitted'],
    [
      'that does not exist',
      followedBy(level('a lot')),
      EFFORT,
      "messages.1.output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ],
    [
      'on a model that does not support it',
      { ...followedBy(level('low')), model: 'test-model' },
      EFFORT,
      'messages.1.output_config: not supported on this model',
    ],
    [
      'together with another setting',
      followedBy({ role: 'system', content: [], output_config: { effort: 'low', format: {} } }),
      EFFORT,
      'messages.1.output_config.format: Extra inputs are not permitted',
    ],
  ])('is refused with an effort %s', (_what, fields, betas, message) => {
    expect(refusal(simulate(), fields, { betas })).toMatchObject({ message });
  });
});

describe('a change item on the Responses API', () => {
  const update = (effort: string): Wire => ({ type: 'configuration_update', reasoning: { effort } });
  const addition = (...tools: readonly Wire[]): Wire => ({ type: 'additional_tools', role: 'developer', tools });
  const extra = { type: 'function', name: 'extra', parameters: { type: 'object', properties: {} } };

  it('is accepted after earlier items, and the prefix before the item is still read from the cache', () => {
    const simulator = simulateOpenAI();
    const input = [userMessage('a'), userMessage('b')];
    respond(simulator, { input }, { at: 0 });
    const { counts } = respond(simulator, { input: [...input, addition(extra), update('low')] }, { at: 10 });
    expect(counts.read).toBe(2_000);
  });

  test.each<[string, Wire, string]>([
    [
      'two efforts in a row',
      { input: [userMessage('a'), update('low'), update('high')] },
      "Consecutive 'configuration_update' items are not allowed.",
    ],
    [
      'more tools on a model that does not support them',
      { model: 'gpt-old', input: [userMessage('a'), addition(extra)] },
      "Unsupported value: 'additional_tools' is not supported with this model.",
    ],
    [
      'a tool without a name',
      { input: [userMessage('a'), addition({ type: 'function' })] },
      "Missing required parameter: 'input[1].tools[0].name'.",
    ],
  ])('is refused: %s', (_what, fields, message) => {
    expect(refused(simulateOpenAI(), fields)).toMatchObject({ message });
  });
});
