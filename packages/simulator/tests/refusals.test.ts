// Tests for refusals, with the status, the type and the text of the real service: provider-facts §1.6.

import { describe, expect, it, test } from 'vitest';
import {
  assistant,
  bodyOf,
  call,
  mark,
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

const long = { sizes: () => 150_000 };

describe('§1.6 a request', () => {
  const image = (type: string, data = 'AAAA'): Wire => ({
    type: 'image',
    source: { type: 'base64', media_type: type, data },
  });
  const bound = { model: 'bound-model' };
  const pixels = (width: number, height: number): Wire => {
    const png = Buffer.from(`\x89PNG${' '.repeat(24)}`, 'latin1');
    png.writeUInt32BE(width, 16);
    png.writeUInt32BE(height, 20);
    return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } };
  };
  const page: Wire = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } };
  test.each<[string, string, Wire]>([
    ['no model', 'model: Field required', { model: undefined }],
    ['no max_tokens', 'max_tokens: Field required', { max_tokens: undefined }],
    ['no messages', 'messages: Field required', { messages: undefined }],
    ['an empty list of messages', 'messages: at least one message is required', { messages: [] }],
    ['an unknown field', 'cache: Extra inputs are not permitted', { cache: true }],
    ['a wrong kind of field', 'messages: Input should be a valid list', { messages: 'hello' }],
    ['a fraction of a token', 'max_tokens: Input should be a valid integer', { max_tokens: 1.5 }],
    [
      'too much output',
      'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for test-model',
      { max_tokens: 64_001 },
    ],
    ['empty text', 'messages: text content blocks must be non-empty', { messages: [user('')] }],
    ['blank text', 'messages: text content blocks must contain non-whitespace text', { messages: [user(' \n')] }],
    [
      'blank text in an assistant message',
      'messages: text content blocks must contain non-whitespace text',
      { messages: [user('a'), assistant('\n\n'), user('b')] },
    ],
    [
      'empty text with a marker',
      'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
      { messages: [user(mark(text('')))] },
    ],
    [
      'blank text with a marker',
      'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
      { messages: [user(mark(text(' ')))] },
    ],
    ['empty system text', 'system: text content blocks must be non-empty', { system: [text('')] }],
    [
      'empty text in a result',
      'messages: text content blocks must be non-empty',
      { messages: [user('go'), assistant(call('a')), user(result('a', [text('')]))] },
    ],
    [
      'an empty message',
      'messages.0: all messages must have non-empty content except for the optional final assistant message',
      { messages: [user(), assistant('a'), user('b')] },
    ],
    [
      'an unanswered call',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      { messages: [user('go'), assistant(call('toolu_1')), user('well?')] },
    ],
    [
      'two calls of which one is not answered',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      { messages: [user('go'), assistant(call('a'), call('b')), user(result('a'))] },
    ],
    [
      'a call at the end',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      { messages: [user('go'), assistant(call('a'))] },
    ],
    [
      'an orphaned result',
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      { messages: [user(result('toolu_1'))] },
    ],
    [
      'a result of an earlier turn',
      'messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      { messages: [user('go'), assistant(call('a')), user(result('a')), assistant('so'), user(result('a'))] },
    ],
    [
      'text before the results',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      { messages: [user('go'), assistant(call('a')), user('here', result('a'))] },
    ],
    [
      'text between two results',
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      { messages: [user('go'), assistant(call('a'), call('b')), user(result('a'), 'by the way', result('b'))] },
    ],
    [
      'two results of one call',
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
      { messages: [user('go'), assistant(call('a')), user(result('a'), result('a'))] },
    ],
    [
      'two calls with the same id',
      'messages.1.content.1: `tool_use` ids must be unique',
      { messages: [user('go'), assistant(call('a'), call('a')), user(result('a'))] },
    ],
    [
      'a call id of another provider',
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
      { messages: [user('go'), assistant(call('call_1|fc_2')), user(result('call_1|fc_2'))] },
    ],
    [
      'a call whose input is not an object',
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
      { messages: [user('go'), assistant({ ...call('a'), input: 'x' }), user(result('a'))] },
    ],
    [
      'a call in a user message',
      'messages.0: `tool_use` blocks can only be in `assistant` messages',
      { messages: [user(call('a'))] },
    ],
    [
      'a result in an assistant message',
      'messages.1: `tool_result` blocks can only be in `user` messages',
      { messages: [user('a'), assistant(result('a')), user('b')] },
    ],
    [
      'a tool name with a dot',
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      { tools: [tool('a.b')] },
    ],
    [
      'a tool name that is too long',
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      { tools: [tool('a'.repeat(129))] },
    ],
    ['two tools with the same name', 'tools: Tool names must be unique.', { tools: [tool('a'), tool('a')] }],
    ['a tool without a schema', 'tools.0.custom.input_schema: Field required', { tools: [{ name: 'a' }] }],
    [
      'only deferred tools',
      'At least one tool must have defer_loading=false. All tools cannot be deferred.',
      { tools: [tool('a', { defer_loading: true })] },
    ],
    [
      'a deferred tool with a marker',
      "Tool 'b' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.",
      { tools: [tool('a'), mark(tool('b', { defer_loading: true }))] },
    ],
    [
      'a tool choice without tools',
      'tool_choice may only be specified while providing tools.',
      { tool_choice: { type: 'auto' } },
    ],
    [
      'the choice of a tool that is not in the list',
      "Tool 'b' not found in provided tools",
      { tools: [tool('a')], tool_choice: { type: 'tool', name: 'b' } },
    ],
    [
      'a forced tool with thinking',
      'Thinking may not be enabled when tool_choice forces tool use.',
      {
        max_tokens: 5000,
        tools: [tool('a')],
        tool_choice: { type: 'any' },
        thinking: { type: 'enabled', budget_tokens: 2000 },
      },
    ],
    [
      'a forced call of any tool, on a model that cannot be forced',
      'tool_choice: type "tool" and "any" are not supported for this model.',
      { ...bound, tools: [tool('a')], tool_choice: { type: 'any' } },
    ],
    [
      'a forced call of one tool, on a model that cannot be forced',
      'tool_choice: type "tool" and "any" are not supported for this model.',
      { ...bound, tools: [tool('a')], tool_choice: { type: 'tool', name: 'a' } },
    ],
    [
      'a role that the API does not support',
      "messages.0.role: Input should be 'user' or 'assistant'",
      { messages: [{ role: 'developer', content: 'a' }] },
    ],
    [
      'a system message on a model that does not support it',
      "role 'system' is not supported on this model",
      { model: 'no-system', messages: [user('a'), { role: 'system', content: 'b' }] },
    ],
    [
      'a reminder without its beta',
      'messages.1.clear_at: Extra inputs are not permitted',
      { messages: [user('a'), { role: 'system', content: 'b', clear_at: 'next_user_message' }] },
    ],
    [
      'prefill on a model that does not support it',
      'This model does not support assistant message prefill. The conversation must end with a user message.',
      { ...bound, messages: [user('a'), assistant('b')] },
    ],
    [
      'prefill with white space at the end',
      'messages: final assistant content cannot end with trailing whitespace',
      { messages: [user('a'), assistant('b ')] },
    ],
    [
      'an image of an unknown type',
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
      { messages: [user(image('image/bmp'))] },
    ],
    [
      'an image above 8,000 pixels at an edge',
      'messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
      { messages: [user(pixels(8_000, 8_000), pixels(8_001, 1))] },
    ],
    [
      'an image above 8,000 pixels in a result',
      'messages.2.content.0.tool_result.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
      { messages: [user('a'), assistant(call('c')), user(result('c', [pixels(1, 9_000)]))] },
    ],
    [
      'an image above 2,000 pixels among more than 20 images',
      'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
      { messages: [user(...Array.from({ length: 20 }, () => pixels(2_000, 2_000)), pixels(2_001, 1))] },
    ],
    ['an image without pixels', 'Could not process image', { messages: [user(pixels(0, 8))] }],
    [
      'an image of another type than its media type',
      'messages.0.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
      { messages: [user(image('image/jpeg', Buffer.from('\x89PNG', 'latin1').toString('base64')))] },
    ],
    [
      'an image above 10 MB of base64',
      'messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 10485764 bytes > 10485760 bytes',
      { messages: [user(image('image/png', 'A'.repeat(10_485_764)))] },
    ],
    [
      'more than 100 images in a window of 200,000 tokens',
      'too many images and documents: 101 + 0 > 100',
      { messages: [user(...Array.from({ length: 101 }, () => pixels(8, 8)))] },
    ],
    [
      'more than 100 images and documents together, also in tool results',
      'too many images and documents: 99 + 2 > 100',
      { messages: [user(...Array(99).fill(pixels(8, 8)), page), assistant(call('c')), user(result('c', [page]))] },
    ],
    [
      'thinking with a marker',
      'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
      { messages: [user('a'), assistant(mark(thinking('hm', 's')), 'b'), user('c')] },
    ],
    [
      'thinking without a signature',
      'messages.1.content.0.thinking.signature: Field required',
      { messages: [user('a'), assistant({ type: 'thinking', thinking: 'hm' }, 'b'), user('c')] },
    ],
    [
      'thinking that was never issued',
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      { messages: [user('a'), assistant(thinking('hm', 'forged'), 'b'), user('c')] },
    ],
    [
      'a thinking budget below the minimum',
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
      { thinking: { type: 'enabled', budget_tokens: 10 } },
    ],
    [
      'a thinking budget above the limit',
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
    ],
    [
      'binding controls without their beta',
      'thinking.block_binding: Extra inputs are not permitted',
      { thinking: { type: 'adaptive', block_binding: {} } },
    ],
    [
      'an unknown effort',
      "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
      { output_config: { effort: 'none' } },
    ],
  ])('is refused with 400 invalid_request_error for %s', (_, message, fields) => {
    expect(refusal(simulate(), fields)).toMatchObject({ status: 400, type: 'invalid_request_error', message });
  });

  it('is refused for an unknown type of block', () => {
    const { message } = refusal(simulate(), { messages: [user({ type: 'video' })] });
    expect(message).toContain(
      "messages.0.content.0: Input tag 'video' found using 'type' does not match any of the expected tags",
    );
  });

  it('is refused if its body is not valid JSON', () => {
    expect(simulate().messages({ body: '{"model":' })).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(simulate().messages({ body: '[]' })).toMatchObject({ status: 400 });
  });

  it('is refused with more than 100,000 messages (§1.1)', () => {
    const messages = Array.from({ length: 100_001 }, () => ({ role: 'user', content: 'a' }));
    expect(refusal(simulate(), { messages }).message).toBe(
      'messages: List should have at most 100000 items after validation, not 100001',
    );
  });
});

describe('§1.6 size', () => {
  it('a prompt above the limit is refused, and the error states its number of tokens', () => {
    const fields = { messages: [user('a', 'b')] };
    expect(refusal(simulate(), fields, long)).toMatchObject({
      status: 400,
      message: 'prompt is too long: 300000 tokens > 200000 maximum',
    });
  });

  it('input plus `max_tokens` above the window is refused on models before 4.5', () => {
    const outcome = refusal(simulate(), { model: 'old-model', max_tokens: 64_000 }, long);
    expect(outcome.message).toBe(
      'input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    );
  });

  it('input plus `max_tokens` above the window is accepted from 4.5 on, and the answer stops at the end of the window', () => {
    const sizes = (): number => 199_999;
    const { message, usage } = send(simulate(), { max_tokens: 64_000 }, { sizes, answer: { text: 'abcdefgh' } });
    expect(message).toMatchObject({ stop_reason: 'model_context_window_exceeded', content: [{ text: 'abcd' }] });
    expect(usage.output_tokens).toBe(1);
  });

  it('an answer stops when it reaches `max_tokens`', () => {
    const { message } = send(simulate(), { max_tokens: 1 }, { answer: { text: 'abcdefgh' } });
    expect(message).toMatchObject({ stop_reason: 'max_tokens', content: [{ text: 'abcd' }] });
  });

  it('a body above 32 MB is refused with the status 413', () => {
    const body = new Uint8Array(32_000_001).fill(32);
    expect(simulate().messages({ body })).toMatchObject({ status: 413, type: 'request_too_large' });
  });
});

describe('§1.6 a refusal with a status other than 400', () => {
  it.each(['gpt-6.1-sol', 'gemini-4-argon'])('for %s, a model of another provider, has the status 404', (model) => {
    expect(simulate().messages({ body: bodyOf({ model }) })).toMatchObject({ status: 404, message: `model: ${model}` });
  });

  it('for an unknown model has the status 404', () => {
    expect(simulate().messages({ body: bodyOf({ model: 'claude-0' }) })).toMatchObject({
      status: 404,
      type: 'not_found_error',
      message: 'model: claude-0',
    });
  });

  it.each([
    [{ kind: 'rate-limited', retryAfter: 7 } as const, 429, 'rate_limit_error', { 'retry-after': '7' }],
    [{ kind: 'rate-limited' } as const, 429, 'rate_limit_error', {}],
    [{ kind: 'overloaded' } as const, 529, 'overloaded_error', {}],
    [{ kind: 'server-error' } as const, 500, 'api_error', {}],
  ])('for the fault %o is sent once, and the next call is answered', (fault, status, type, headers) => {
    const simulator = simulate();
    simulator.fail(fault);
    expect(refusal(simulator, {})).toMatchObject({ status, type, headers });
    expect(send(simulator, {}).status).toBe(200);
  });
});

describe('§1.6 the real service accepts', () => {
  it.each<[string, Wire]>([
    [
      'consecutive messages of one role, which it merges',
      { messages: [user('a'), user('b'), assistant('c'), assistant('d'), user('e')] },
    ],
    [
      'results and text in several messages',
      { messages: [user('go'), assistant(call('a'), call('b')), user(result('a')), user(result('b')), user('so')] },
    ],
    ['text after the results', { messages: [user('go'), assistant(call('a')), user(result('a'), 'and now?')] }],
    [
      'a result without content',
      { messages: [user('go'), assistant(call('a')), user({ type: 'tool_result', tool_use_id: 'a' })] },
    ],
    ['a system message at the end', { model: 'bound-model', messages: [user('a'), { role: 'system', content: 'b' }] }],
    ['prefill on a model that supports it', { messages: [user('a'), assistant('b')] }],
    ['null for an absent field', { system: null, tools: null, cache_control: null }],
  ])('%s', (_, fields) => {
    expect(send(simulate(), fields).status).toBe(200);
  });
});
