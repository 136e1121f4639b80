// Tests for each top-level field of the request types of `openai`, and of OpenRouter. The tables are typed by the SDK,
// so a field that a new SDK adds is a type error until it has a row.

import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Wire } from './conversation.ts';
import { mark, text } from './conversation.ts';
import { testRows } from './field-rows.ts';
import type { FieldRow, Outcome } from './field-rows.ts';
import {
  userMessage,
  chat,
  chatBody,
  chatRefused,
  functionTool,
  refused,
  respond,
  responsesBody,
  simulateOpenAI,
  thousand,
} from './openai-conversation.ts';

type Rows<Params> = { readonly [Field in keyof Params]-?: FieldRow };

const SCRIPTED = 'answers are scripted, so there is nothing to sample';
const ABUSE = 'the model is not shown it, and no abuse is detected here';
const NOT_STORED = 'it labels a stored answer, and nothing here lists stored answers';
const CHOICE = 'answers are scripted, and a choice is no part of the cache key';

const RESPONSES: Rows<OpenAI.Responses.ResponseCreateParamsNonStreaming> = {
  access_programs: { refused: { cyber: 'daybreak_blue' }, unlike: [{ cyber: 'standard' }] },
  background: { refused: true, unlike: [false] },
  context_management: { refused: [{ type: 'compaction', compact_threshold: 1_000 }], unlike: [[]] },
  conversation: { refused: 'conv_1' },
  image: { refused: { context_compression: 'enabled' }, unlike: [{ context_compression: 'disabled' }] },
  include: { simulated: [] },
  input: { simulated: [userMessage('another')] },
  instructions: { simulated: 'You help.' },
  max_output_tokens: { simulated: 16 },
  max_tool_calls: { accepted: 3, because: 'it limits the calls of server tools, and none is ever called' },
  metadata: { accepted: { a: 'b' }, because: NOT_STORED },
  model: { simulated: 'gpt-new-sister' },
  moderation: { refused: { model: 'omni-moderation-latest' } },
  parallel_tool_calls: { simulated: false },
  previous_response_id: { simulated: 'resp_unknown' },
  prompt: { refused: { id: 'pmpt_1' } },
  prompt_cache_key: { simulated: 'another' },
  prompt_cache_options: { simulated: { mode: 'explicit' } },
  prompt_cache_retention: { simulated: '24h', shownBy: 'openai-grid.test.ts' },
  reasoning: { simulated: { effort: 'low' } },
  safety_identifier: { accepted: 'user-1', because: ABUSE },
  service_tier: { simulated: 'flex' },
  store: { simulated: true, shownBy: 'openai-http.int.test.ts' },
  stream: { simulated: false, shownBy: 'openai-http.int.test.ts' },
  stream_options: { refused: { include_obfuscation: true }, unlike: [{ include_obfuscation: false }] },
  temperature: { accepted: 0.2, because: SCRIPTED },
  text: { simulated: { verbosity: 'low' } },
  tool_choice: { accepted: 'required', because: CHOICE },
  tools: { simulated: [functionTool('other')] },
  top_logprobs: { refused: 2, unlike: [0] },
  top_p: { accepted: 0.9, because: SCRIPTED },
  truncation: { accepted: 'auto', because: 'an input that fits is never truncated, and a longer one is refused' },
  user: { accepted: 'user-1', because: ABUSE },
};

const COUNTED_SETTING = 'it adds no tokens here, and counting neither reads nor writes the cache';

const COUNTED: Rows<OpenAI.Responses.InputTokenCountParams> = {
  conversation: { refused: 'conv_1' },
  input: { simulated: [userMessage('another')] },
  instructions: { simulated: 'You help.' },
  model: { simulated: 'no-such-model' },
  parallel_tool_calls: { accepted: false, because: COUNTED_SETTING },
  personality: { refused: 'friendly' },
  previous_response_id: { simulated: 'resp_unknown' },
  reasoning: { accepted: { effort: 'low' }, because: COUNTED_SETTING },
  text: { accepted: { verbosity: 'low' }, because: COUNTED_SETTING },
  tool_choice: { accepted: 'required', because: COUNTED_SETTING },
  tools: { simulated: [] },
  truncation: { accepted: 'auto', because: COUNTED_SETTING },
};

const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const OTHER = { type: 'function', function: { name: 'other', parameters: { type: 'object' } } };

const CHAT: Rows<OpenAI.ChatCompletionCreateParamsNonStreaming> = {
  audio: { refused: { format: 'mp3', voice: 'alloy' } },
  frequency_penalty: { accepted: 0.5, because: SCRIPTED },
  function_call: { refused: 'auto' },
  functions: { refused: [{ name: 'look' }], unlike: [[]] },
  logit_bias: { refused: { '50256': -100 }, unlike: [{}] },
  logprobs: { refused: true, unlike: [false] },
  max_completion_tokens: { simulated: 3 },
  max_tokens: { simulated: 3 },
  messages: { simulated: [{ role: 'user', content: 'another' }] },
  metadata: { accepted: { a: 'b' }, because: NOT_STORED },
  modalities: { refused: ['text', 'audio'], unlike: [['text']] },
  model: { simulated: 'gpt-new-sister' },
  moderation: { refused: { model: 'omni-moderation-latest' } },
  n: { refused: 2, unlike: [1] },
  parallel_tool_calls: { simulated: false },
  prediction: { refused: { type: 'content', content: 'This' } },
  presence_penalty: { accepted: 0.5, because: SCRIPTED },
  prompt_cache_key: { simulated: 'another' },
  prompt_cache_options: { simulated: { mode: 'explicit' } },
  prompt_cache_retention: { simulated: '24h', shownBy: 'openai-grid.test.ts' },
  reasoning_effort: { simulated: 'low' },
  response_format: { simulated: { type: 'json_object' } },
  safety_identifier: { accepted: 'user-1', because: ABUSE },
  seed: { refused: 7 },
  service_tier: { simulated: 'flex' },
  stop: { simulated: 'scripted' },
  store: { refused: true, unlike: [false] },
  stream: { simulated: false, shownBy: 'openai-http.int.test.ts' },
  stream_options: { refused: { include_obfuscation: true }, unlike: [] },
  temperature: { accepted: 0.2, because: SCRIPTED },
  tool_choice: { accepted: 'required', because: CHOICE },
  tools: { simulated: [OTHER] },
  top_logprobs: { refused: 2, unlike: [0] },
  top_p: { accepted: 0.9, because: SCRIPTED },
  user: { accepted: 'user-1', because: ABUSE },
  verbosity: { simulated: 'low' },
  web_search_options: { refused: {} },
};

/** Fields that only OpenRouter has. The test model is Claude. */
const ROUTER: { readonly [field: string]: FieldRow } = {
  cache_control: { simulated: { type: 'ephemeral' } },
  include_reasoning: { simulated: false },
  models: { refused: ['claude-test', 'gpt-new'], unlike: [[]] },
  plugins: { refused: [{ id: 'web' }], unlike: [[]] },
  provider: { accepted: { order: ['anthropic'] }, because: 'there is one upstream for each model' },
  reasoning: { simulated: { exclude: true } },
  route: { refused: 'fallback' },
  session_id: { accepted: 's', because: 'there is one upstream for each model, so nothing is routed' },
  top_k: { accepted: 5, because: SCRIPTED },
  transforms: { refused: ['middle-out'], unlike: [[]] },
  usage: { accepted: { include: true }, because: 'usage is always reported' },
};

const ANSWER = { thinking: 'hm', text: 'This is a scripted answer of some length, which has more than 16 tokens.' };
const INPUT: Wire = { input: [userMessage('one'), userMessage('two')], tools: [functionTool('look')] };
const MESSAGES: Wire = {
  messages: [
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ],
  tools: [LOOK],
};

function respondSecond(base: Wire, fields: Wire): Outcome {
  const simulator = simulateOpenAI({ idSeed: 'rows' });
  respond(simulator, { ...INPUT, ...base }, { answer: ANSWER });
  return seen(simulator.responses({ body: responsesBody({ ...INPUT, ...fields }), answer: ANSWER, sizes: thousand }));
}

function countSecond(_base: Wire, fields: Wire): Outcome {
  const body = JSON.stringify({ model: 'gpt-new', ...INPUT, ...fields });
  const outcome = simulateOpenAI().inputTokens({ body, sizes: thousand });
  if (outcome.outcome === 'refused') return { status: outcome.status, refusal: outcome.message };
  return { status: 200, usage: outcome.inputTokens };
}

const chatSecond =
  (service: 'openai' | 'openrouter', more: Wire = {}) =>
  (base: Wire, fields: Wire): Outcome => {
    const simulator = simulateOpenAI({ idSeed: 'rows' });
    chat(simulator, { ...MESSAGES, ...more, ...base }, { answer: ANSWER, service });
    const body = chatBody({ ...MESSAGES, ...more, ...fields });
    return seen(simulator.chat({ body, answer: ANSWER, sizes: thousand, service }));
  };

function seen(outcome: ReturnType<ReturnType<typeof simulateOpenAI>['chat']>): Outcome {
  if (outcome.outcome === 'refused') return { status: outcome.status, refusal: outcome.message };
  return { status: 200, body: outcome.body, usage: outcome.usage };
}

testRows('a Responses field', RESPONSES, respondSecond);
testRows(
  'a Responses field that Codex CLI 0.169 sends',
  { client_metadata: { accepted: { a: 'b' }, because: NOT_STORED } },
  respondSecond,
);
testRows('a field of input_tokens', COUNTED, countSecond);
testRows('a Chat field', CHAT, chatSecond('openai'));
testRows('a field of OpenRouter', ROUTER, chatSecond('openrouter', { model: 'claude-test' }));

describe('a refused field', () => {
  it('is named by the error', () => {
    expect(chatRefused(simulateOpenAI(), { n: 2 })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'n',
      message: "simulator: 'n' is not simulated. Send one call for each answer.",
    });
  });

  it('`include` is refused for log probabilities, and accepted for parts of server tools, which never occur', () => {
    expect(refused(simulateOpenAI(), { include: ['message.output_text.logprobs'] }).message).toBe(
      "simulator: 'include' is not simulated. Remove it.",
    );
    expect(respond(simulateOpenAI(), { include: ['web_search_call.action.sources'] }).status).toBe(200);
  });

  it('`cache_control` of a router is refused for a model whose rules are not known', () => {
    expect(
      chatRefused(simulateOpenAI(), { cache_control: { type: 'ephemeral' } }, { service: 'openrouter' }).param,
    ).toBe('cache_control');
  });

  it('`truncation: "auto"` is refused for an input that is too long', () => {
    const fields = { model: 'gpt-small', input: 'x'.repeat(20_000), truncation: 'auto' };
    expect(refused(simulateOpenAI(), fields).message).toMatch(/^simulator: truncation is not simulated/);
    expect(refused(simulateOpenAI(), { ...fields, truncation: 'disabled' }).message).toMatch(/^Your input exceeds/);
  });
});

describe('`service_tier`', () => {
  it.each([
    ['auto', 'default'],
    ['priority', 'priority'],
    [undefined, 'default'],
  ])('%s is reported as %s', (service_tier, reported) => {
    expect(respond(simulateOpenAI(), { service_tier }).body['service_tier']).toBe(reported);
    expect(chat(simulateOpenAI(), { service_tier }).body['service_tier']).toBe(reported);
  });

  it('is refused if it is unknown', () => {
    expect(refused(simulateOpenAI(), { service_tier: 'turbo' }).param).toBe('service_tier');
    expect(chatRefused(simulateOpenAI(), { service_tier: 'ultrafast' }).param).toBe('service_tier');
  });
});

describe('`stop` of Chat Completions', () => {
  it('ends the answer before the first of its texts, with the finish reason `stop`', () => {
    const { body } = chat(simulateOpenAI(), { stop: ['three', 'two'] }, { answer: { text: 'one two three' } });
    expect(body['choices']).toMatchObject([{ message: { content: 'one ' }, finish_reason: 'stop' }]);
  });

  it.each([
    [7, 'stop'],
    [['a', 7], 'stop[1]'],
    [['a', 'b', 'c', 'd', 'e'], 'stop'],
  ])('%j is refused', (stop, param) => {
    expect(chatRefused(simulateOpenAI(), { stop }).param).toBe(param);
  });
});

it('a router whose request hides reasoning sends none', () => {
  const shown = (fields: Wire): unknown =>
    chat(simulateOpenAI(), { model: 'claude-test', ...fields }, { answer: ANSWER, service: 'openrouter' }).body[
      'choices'
    ];
  expect(shown({})).toMatchObject([{ message: { reasoning: 'hm' } }]);
  expect(shown({ include_reasoning: false })).toMatchObject([{ message: { reasoning: null } }]);
});

it('a router places a top-level `cache_control` on the last block, unless that block has a marker', () => {
  const written = (fields: Wire): readonly number[] => {
    const { counts } = chat(simulateOpenAI(), { model: 'claude-test', ...fields }, { service: 'openrouter' });
    return [counts.writtenShort, counts.writtenLong];
  };
  const says = (...content: readonly Wire[]): Wire => ({ messages: [{ role: 'user', content }] });
  const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  expect(written({ ...says(text('one'), text('two')), ...long })).toEqual([0, 2_000]);
  expect(written({ ...says(text('one'), mark(text('two'))), ...long })).toEqual([2_000, 0]);
});

/** Tools that the client runs, and tools that the service runs, by the types of the SDK. */
const TOOLS: {
  readonly [Type in OpenAI.Responses.Tool['type']]: readonly (readonly [side: 'client' | 'server', more: Wire])[];
} = {
  apply_patch: [['client', {}]],
  code_interpreter: [['server', { container: { type: 'auto' } }]],
  computer: [['client', {}]],
  computer_use_preview: [['client', {}]],
  custom: [['client', { name: 'mine' }]],
  file_search: [['server', { vector_store_ids: ['vs_1'] }]],
  function: [['client', { name: 'mine', parameters: { type: 'object' } }]],
  image_generation: [['server', {}]],
  local_shell: [['client', {}]],
  mcp: [['server', { server_label: 'm', server_url: 'https://mcp.test' }]],
  namespace: [['client', { name: 'mine', tools: [] }]],
  programmatic_tool_calling: [['server', {}]],
  shell: [
    ['client', {}],
    ['client', { environment: { type: 'local' } }],
    ['server', { environment: { type: 'container_auto' } }],
  ],
  tool_search: [
    ['client', { execution: 'client' }],
    ['server', {}],
  ],
  web_search: [['server', {}]],
  web_search_2025_08_26: [['server', {}]],
  web_search_preview: [['server', {}]],
  web_search_preview_2025_03_11: [['server', {}]],
};

const CASES = Object.entries(TOOLS).flatMap(([type, sides]) =>
  sides.map(([side, more]) => [type, side, more] as const),
);

describe('a tool of the type', () => {
  it.each(CASES)('%s, which the %s runs, is accepted or refused: %j', (type, side, more) => {
    const fields = { tools: [functionTool('look'), { ...more, type }] };
    const outcome = simulateOpenAI().responses({ body: responsesBody(fields) });
    if (side === 'client') expect(outcome.status).toBe(200);
    else
      expect(outcome).toMatchObject({
        status: 400,
        param: 'tools[1]',
        message: expect.stringContaining(`'${type}' is not simulated`),
      });
    const offering = simulateOpenAI({ serverTools: 'offered' });
    expect(offering.responses({ body: responsesBody(fields) }).status).toBe(200);
  });

  it('web_search is refused in a later addition, and when its tokens are counted', () => {
    const web = { type: 'web_search' };
    const added = { type: 'additional_tools', role: 'developer', tools: [web] };
    expect(refused(simulateOpenAI(), { input: [userMessage('hello'), added] }).param).toBe('input.tools[0]');
    const body = JSON.stringify({ model: 'gpt-new', input: 'hello', tools: [web] });
    expect(simulateOpenAI().inputTokens({ body })).toMatchObject({ status: 400, param: 'tools[0]' });
  });
});
