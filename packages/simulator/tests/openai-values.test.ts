// Tests for the values of OpenAI's top-level parameters: a value that the service refuses is refused here too, so that
// a test finds it before the service does.

import { describe, expect, it } from 'vitest';
import type { Wire } from './conversation.ts';
import { chat, chatRefused, refused, respond, simulateOpenAI } from './openai-conversation.ts';

const SCHEMA = { type: 'object' };

type Row = readonly [fields: Wire, code: string | null, message: string];

const BOTH: readonly Row[] = [
  [
    { temperature: 2.1 },
    'decimal_above_max_value',
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead.",
  ],
  [
    { temperature: -1 },
    'decimal_below_min_value',
    "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
  ],
  [
    { top_p: 5 },
    'decimal_above_max_value',
    "Invalid 'top_p': decimal above maximum value. Expected a value <= 1, but got 5 instead.",
  ],
  [
    { top_logprobs: 21 },
    'integer_above_max_value',
    "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead.",
  ],
  [
    { top_logprobs: -1 },
    'integer_below_min_value',
    "Invalid 'top_logprobs': integer below minimum value. Expected a value >= 0, but got -1 instead.",
  ],
  [
    { metadata: { a: 5 } },
    'invalid_type',
    "Invalid type for 'metadata.a': expected a string, but got an integer instead.",
  ],
  [
    { metadata: { ['k'.repeat(65)]: 'v' } },
    'string_above_max_length',
    "Invalid 'metadata': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    { metadata: { a: 'v'.repeat(513) } },
    'string_above_max_length',
    "Invalid 'metadata.a': string too long. Expected a string with maximum length 512, but got a string with length 513 instead.",
  ],
  [
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
    'object_above_max_properties',
    "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with 17 properties instead.",
  ],
  [
    { safety_identifier: 'u'.repeat(129) },
    'string_above_max_length',
    "Invalid 'safety_identifier': string too long. Expected a string with maximum length 128, but got a string with length 129 instead.",
  ],
];

const EFFORTS = "'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'";

const RESPONSES: readonly Row[] = [
  [
    { max_output_tokens: 15 },
    'integer_below_min_value',
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
  ],
  [{ reasoning: { effort: 'most' } }, 'invalid_value', `Invalid value: 'most'. Supported values are: ${EFFORTS}.`],
  [
    { reasoning: { summary: 'long' } },
    'invalid_value',
    "Invalid value: 'long'. Supported values are: 'auto', 'concise', and 'detailed'.",
  ],
  [{ reasoning: { depth: 1 } }, 'unknown_parameter', "Unknown parameter: 'reasoning.depth'."],
  [
    { text: { verbosity: 5 } },
    'invalid_type',
    "Invalid type for 'text.verbosity': expected a string, but got an integer instead.",
  ],
  [{ text: { size: 1 } }, 'unknown_parameter', "Unknown parameter: 'text.size'."],
  [
    { text: { format: { type: 'xml' } } },
    'invalid_value',
    "Invalid value: 'xml'. Supported values are: 'json_object', 'json_schema', and 'text'.",
  ],
  [
    { text: { format: { type: 'json_schema', schema: SCHEMA } } },
    'missing_required_parameter',
    "Missing required parameter: 'text.format.name'.",
  ],
  [
    { text: { format: { type: 'json_schema', name: 'a' } } },
    'missing_required_parameter',
    "Missing required parameter: 'text.format.schema'.",
  ],
  [{ truncation: 'some' }, 'invalid_value', "Invalid value: 'some'. Supported values are: 'auto' and 'disabled'."],
  [
    { stream: true, stream_options: { include_usage: true } },
    'unknown_parameter',
    "Unknown parameter: 'stream_options.include_usage'.",
  ],
];

const CHAT: readonly Row[] = [
  [
    { max_completion_tokens: -5 },
    'integer_below_min_value',
    "Invalid 'max_completion_tokens': integer below minimum value. Expected a value >= 1, but got -5 instead.",
  ],
  [
    { max_tokens: 0 },
    'integer_below_min_value',
    "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  ],
  [
    { n: 0 },
    'integer_below_min_value',
    "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
  ],
  [
    { frequency_penalty: -2.5 },
    'decimal_below_min_value',
    "Invalid 'frequency_penalty': decimal below minimum value. Expected a value >= -2, but got -2.5 instead.",
  ],
  [
    { presence_penalty: 3 },
    'decimal_above_max_value',
    "Invalid 'presence_penalty': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
  ],
  [{ reasoning_effort: 'most' }, 'invalid_value', `Invalid value: 'most'. Supported values are: ${EFFORTS}.`],
  [{ verbosity: 'long' }, 'invalid_value', "Invalid value: 'long'. Supported values are: 'low', 'medium', and 'high'."],
  [
    { response_format: { type: 'xml' } },
    'invalid_value',
    "Invalid value: 'xml'. Supported values are: 'json_object', 'json_schema', and 'text'.",
  ],
  [
    { response_format: { type: 'json_schema' } },
    'missing_required_parameter',
    "Missing required parameter: 'response_format.json_schema'.",
  ],
  [
    { response_format: { type: 'json_schema', json_schema: { name: 'a b' } } },
    'invalid_value',
    "Invalid 'response_format.json_schema.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  [
    { stream_options: { include_usage: true } },
    null,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
];

describe('a value that the service refuses (§2.5)', () => {
  it.each([...BOTH, ...RESPONSES])('%j is refused on Responses', (fields, code, message) => {
    expect(refused(simulateOpenAI(), fields)).toMatchObject({ status: 400, code, message });
  });

  it.each([...BOTH, ...CHAT])('%j is refused on Chat', (fields, code, message) => {
    expect(chatRefused(simulateOpenAI(), fields)).toMatchObject({ status: 400, code, message });
  });

  it('an unknown value of `include` is refused', () => {
    expect(refused(simulateOpenAI(), { include: ['reasoning'] })).toMatchObject({
      param: 'include[0]',
      code: 'invalid_value',
    });
  });

  it.each([{ max_tokens: -1 }, { n: 0 }, { temperature: 3 }])('%j is refused by the router', (fields) => {
    expect(chatRefused(simulateOpenAI(), fields, { service: 'openrouter' }).status).toBe(400);
  });
});

describe('a value at the border', () => {
  it.each<Wire>([
    { temperature: 2, top_p: 0, top_logprobs: 0 },
    { metadata: { ['k'.repeat(64)]: 'v'.repeat(512) }, safety_identifier: 'u'.repeat(128) },
    {
      reasoning: { effort: 'none', summary: null },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema: SCHEMA } },
    },
  ])('%j is accepted on Responses', (fields) => {
    expect(respond(simulateOpenAI(), fields).status).toBe(200);
  });

  it.each<Wire>([
    { max_completion_tokens: 64_000, n: 1, presence_penalty: -2, frequency_penalty: 2 },
    {
      response_format: { type: 'json_schema', json_schema: { name: 'a' } },
      stream: true,
      stream_options: { include_usage: true },
    },
  ])('%j is accepted on Chat', (fields) => {
    expect(chat(simulateOpenAI(), fields).status).toBe(200);
  });
});
