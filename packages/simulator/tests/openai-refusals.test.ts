// Tests for the refusals of the OpenAI part (provider-facts §2.5): the status, the code, the text and the named
// parameter.

import { describe, expect, it, test } from 'vitest';
import type { Wire } from './conversation.ts';
import {
  userMessage,
  called,
  chat,
  chatRefused,
  functionTool,
  marked,
  output,
  refused,
  respond,
  assistantMessage,
  simulateOpenAI,
} from './openai-conversation.ts';

const TOO_LONG = 'k'.repeat(65);

describe('a Responses call is refused', () => {
  test.each<
    [string, Wire, { readonly message: string; readonly code?: string | null; readonly param?: string | null }]
  >([
    [
      'with a parameter that does not exist',
      { max_tokens: 5 },
      { message: "Unknown parameter: 'max_tokens'.", code: 'unknown_parameter', param: 'max_tokens' },
    ],
    [
      'without a model',
      { model: undefined },
      { message: "Missing required parameter: 'model'.", code: 'missing_required_parameter' },
    ],
    [
      'with an image of an unsupported kind that is declared as PNG',
      {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,PHN2Zz48L3N2Zz4=' }] },
        ],
      },
      {
        message:
          "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        code: 'invalid_image_format',
        param: null,
      },
    ],
    ['without input', { input: undefined }, { message: "Missing required parameter: 'input'." }],
    [
      'with a model of another maker',
      { model: 'claude-sonnet-5-5' },
      { message: "The requested model 'claude-sonnet-5-5' does not exist.", code: 'model_not_found' },
    ],
    [
      'with a model that does not exist',
      { model: 'gpt-0' },
      { message: "The requested model 'gpt-0' does not exist.", code: 'model_not_found' },
    ],
    [
      'with a second model of another maker',
      { model: 'claude-test' },
      { message: "The requested model 'claude-test' does not exist." },
    ],
    [
      'with input of the wrong kind',
      { input: 5 },
      {
        message: "Invalid type for 'input': expected one of a string or array of objects, but got an integer instead.",
        code: 'invalid_type',
      },
    ],
    [
      'with a wrong kind of setting',
      { stream: 'yes' },
      { message: "Invalid type for 'stream': expected a boolean, but got a string instead." },
    ],
    [
      'with a role that the API does not support',
      { input: [{ role: 'tool', content: 'x' }] },
      {
        message: "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        code: 'invalid_value',
        param: 'input[0].role',
      },
    ],
    [
      'with an unknown item',
      { input: [{ type: 'tool_use' }] },
      { message: expect.stringContaining("Invalid value: 'tool_use'"), param: 'input[0].type' },
    ],
    [
      'with a user part in an assistant message',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      {
        message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        param: 'input[0].content[0]',
      },
    ],
    [
      'with a call that is not answered',
      { input: [userMessage('a'), called('call_1')] },
      { message: 'No tool output found for function call call_1.', param: 'input' },
    ],
    [
      'with an output without a call',
      { input: [output('call_1')] },
      { message: 'No tool call found for function call output with call_id call_1.' },
    ],
    [
      'with an output before its call',
      { input: [output('c1'), called('c1')] },
      { message: 'No tool call found for function call output with call_id c1.' },
    ],
    [
      'with a call id that is too long',
      { input: [called(TOO_LONG), output(TOO_LONG)] },
      {
        message:
          "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
        code: 'string_above_max_length',
      },
    ],
    [
      'with an item id of another API',
      { input: [{ ...called('c1'), id: 'toolu_1' }, output('c1')] },
      { message: "Invalid 'input[0].id': 'toolu_1'. Expected an ID that begins with 'fc'." },
    ],
    [
      'with arguments that are not text',
      { input: [{ ...called('c1'), arguments: {} }, output('c1')] },
      { message: "Invalid type for 'input[0].arguments': expected a string, but got an object instead." },
    ],
    [
      'with a cache key that is too long',
      { prompt_cache_key: TOO_LONG },
      {
        message:
          "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
        param: 'prompt_cache_key',
      },
    ],
    [
      'with an output limit that is too small',
      { max_output_tokens: 15 },
      {
        message:
          "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
        code: 'integer_below_min_value',
      },
    ],
    [
      'with a lifetime that does not exist',
      { prompt_cache_options: { ttl: '1h' } },
      { message: "Invalid value: '1h'. Supported values are: '30m' and '12h'.", param: 'prompt_cache_options.ttl' },
    ],
    [
      'with cache options on an older model',
      { model: 'gpt-old', prompt_cache_options: {} },
      {
        message: "Unsupported parameter: 'prompt_cache_options' is not supported with this model.",
        code: 'unsupported_parameter',
      },
    ],
    [
      'with retention `in_memory` on a newer model',
      { model: 'gpt-5.5', prompt_cache_retention: 'in_memory' },
      { message: "Invalid value: 'in_memory'. Supported values are: '24h'." },
    ],
    [
      'with a marker in an assistant message',
      {
        input: [
          {
            ...assistantMessage('x'),
            content: [{ type: 'output_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }],
          },
        ],
      },
      { message: "Unknown parameter: 'input[0].content[0].prompt_cache_breakpoint'." },
    ],
    [
      'with a marker without a mode',
      { input: [{ ...marked('x'), content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint: {} }] }] },
      { message: "Invalid value: ''. Supported values are: 'explicit'." },
    ],
    [
      'with a configuration update on a model that does not support it',
      { model: 'gpt-old', input: [userMessage('a'), { type: 'configuration_update', reasoning: { effort: 'low' } }] },
      {
        message: "Unsupported value: 'configuration_update' is not supported with this model.",
        param: 'input[1].type',
      },
    ],
    [
      'with a conversation and a previous response',
      { conversation: 'conv_1', previous_response_id: 'resp_1' },
      { message: expect.stringContaining('Mutually exclusive parameters'), code: 'mutually_exclusive_parameters' },
    ],
    [
      'with a tool without a name',
      { tools: [functionTool('a', { name: undefined })] },
      { message: "Missing required parameter: 'tools[0].name'." },
    ],
    [
      'with a tool with an invalid name',
      { tools: [functionTool('a.b')] },
      {
        message:
          "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        param: 'tools[0].name',
      },
    ],
    [
      'with a schema that is not an object schema',
      { tools: [functionTool('a', { parameters: { type: 'string' } })] },
      {
        message: `Invalid schema for function 'a': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`,
        code: 'invalid_function_parameters',
        param: 'tools[0].parameters',
      },
    ],
    [
      'with a strict schema that allows additional properties',
      { tools: [functionTool('a', { strict: true })] },
      {
        message:
          "Invalid schema for function 'a': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      },
    ],
    [
      'with a strict schema that does not require every key',
      {
        tools: [
          functionTool('a', {
            strict: true,
            parameters: { type: 'object', additionalProperties: false, properties: { x: {} }, required: [] },
          }),
        ],
      },
      { message: expect.stringContaining("Missing 'x'.") },
    ],
    [
      'with a forced tool that is not in the list',
      { tools: [functionTool('a')], tool_choice: { type: 'function', name: 'b' } },
      { message: "Tool choice 'b' not found in 'tools' parameter.", param: 'tool_choice' },
    ],
  ])('%s', (_, fields, expected) => {
    expect(refused(simulateOpenAI(), fields)).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      ...expected,
    });
  });

  it('when its body is not valid JSON', () => {
    const outcome = simulateOpenAI().responses({ body: '{"model":' });
    expect(outcome).toMatchObject({ status: 400, message: expect.stringMatching(/^We could not parse the JSON body/) });
  });

  it('when its prompt is too long', () => {
    expect(refused(simulateOpenAI(), { model: 'gpt-small' }, { sizes: () => 4098 })).toMatchObject({
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    });
    expect(respond(simulateOpenAI(), { model: 'gpt-small' }, { sizes: () => 4097 }).status).toBe(200);
  });
});

describe('a Chat call is refused', () => {
  const user = { role: 'user', content: 'a' };
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
  const caller = { role: 'assistant', content: null, tool_calls: [call] };
  const answer = { role: 'tool', tool_call_id: 'c1', content: 'seen' };
  const tool = { type: 'function', function: { name: 'look', parameters: { type: 'array' } } };

  test.each<
    [string, Wire, { readonly message: string; readonly code?: string | null; readonly param?: string | null }]
  >([
    [
      'with an argument that does not exist',
      { input: 'x' },
      { message: 'Unrecognized request argument supplied: input', param: null },
    ],
    ['without a model', { model: undefined }, { message: 'you must provide a model parameter' }],
    [
      'without messages',
      { messages: [] },
      {
        message:
          "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        code: 'empty_array',
      },
    ],
    [
      'with an unknown role',
      { messages: [{ role: 'model', content: 'x' }] },
      { message: expect.stringContaining("Invalid value: 'model'."), param: 'messages[0].role' },
    ],
    [
      'with a user message without content',
      { messages: [{ role: 'user', content: null }] },
      {
        message: "Invalid type for 'messages[0].content': expected a string or array of objects, but got null instead.",
      },
    ],
    [
      'with a tool message without a call',
      { messages: [user, answer] },
      {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        param: 'messages.[1].role',
      },
    ],
    [
      'with a call that is not answered by the next message',
      { messages: [user, caller, user, answer] },
      {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: c1",
        param: 'messages.[2].role',
      },
    ],
    [
      'with a call without an answer',
      { messages: [user, caller] },
      { message: expect.stringContaining('did not have response messages: c1') },
    ],
    [
      'with arguments that are not text',
      { messages: [user, { ...caller, tool_calls: [{ ...call, function: { name: 'x', arguments: {} } }] }, answer] },
      { message: "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'." },
    ],
    [
      'with the output limit of older models',
      { model: 'gpt-5.5', max_tokens: 5 },
      {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        code: 'unsupported_parameter',
      },
    ],
    [
      'with a lifetime that only the Responses API supports',
      { prompt_cache_options: { ttl: '12h' } },
      { message: "Invalid value: '12h'. Supported values are: '30m'." },
    ],
    [
      'with a schema that is not an object schema',
      { tools: [tool] },
      { message: expect.stringContaining("Invalid schema for function 'look'"), param: 'tools[0].function.parameters' },
    ],
    [
      'with a tool choice without tools',
      { tool_choice: 'auto' },
      { message: "'tool_choice' is only allowed when 'tools' are specified." },
    ],
  ])('%s', (_, fields, expected) => {
    expect(chatRefused(simulateOpenAI(), fields)).toMatchObject({ status: 400, ...expected });
  });

  it('when its prompt is too long, with the older error text', () => {
    expect(chatRefused(simulateOpenAI(), { model: 'gpt-small' }, { sizes: () => 4363 })).toMatchObject({
      code: 'context_length_exceeded',
      message:
        "This model's maximum context length is 4097 tokens. However, your messages resulted in 4363 tokens. Please reduce the length of the messages.",
    });
  });

  it('but not if its tool messages have another order than the calls', () => {
    const two = { ...caller, tool_calls: [call, { ...call, id: 'c2' }] };
    const messages = [user, two, { ...answer, tool_call_id: 'c2' }, answer, user];
    expect(chat(simulateOpenAI(), { messages }).status).toBe(200);
  });

  it('by the router if it has a fifth marker or names an unknown model', () => {
    const part = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [part, part, part, part, part] }];
    const service = 'openrouter' as const;
    expect(chatRefused(simulateOpenAI(), { model: 'anthropic/claude-test', messages }, { service }).message).toBe(
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    );
    expect(chatRefused(simulateOpenAI(), { model: 'nobody/none' }, { service }).message).toBe(
      'nobody/none is not a valid model ID',
    );
  });
});
