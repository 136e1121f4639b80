// Tests for each top-level field of the request types of `@anthropic-ai/sdk`. The tables are typed by the SDK, so a
// field that a new SDK adds is a type error until it has a row.

import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { bodyOf, mark, refusal, send, simulate, text, tool, user } from './conversation.ts';
import type { Wire } from './conversation.ts';
import { testRows } from './field-rows.ts';
import type { FieldRow, Outcome } from './field-rows.ts';

type Rows<Params> = { readonly [Field in keyof Params]-?: FieldRow };

const SCRIPTED = 'answers are scripted, so there is nothing to sample';
const KEEP_ALL = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };
const FORMAT = { type: 'json_schema', schema: { type: 'object' } };
const EDITING = ['context-management-2025-06-27'];

const MESSAGES: Rows<Anthropic.MessageCreateParamsNonStreaming> = {
  cache_control: { simulated: { type: 'ephemeral' }, base: { messages: [user('one', 'two')] } },
  container: { refused: 'container_1' },
  diagnostics: { simulated: { previous_message_id: 'msg_unknown' }, shownBy: 'usage.test.ts' },
  inference_geo: { simulated: 'us' },
  max_tokens: { simulated: 3 },
  messages: { simulated: [user('another')] },
  metadata: { accepted: { user_id: 'u' }, because: 'the model is not shown it, and no abuse is detected here' },
  model: { simulated: 'other-model' },
  output_config: { simulated: { effort: 'low' } },
  service_tier: { accepted: 'standard_only', because: 'the simulated organisation has only the standard tier' },
  speed: { simulated: 'fast' },
  stop_sequences: { simulated: ['scripted'] },
  stream: { simulated: false, shownBy: 'http.int.test.ts' },
  system: { simulated: [text('You help.')] },
  thinking: { simulated: { type: 'adaptive' } },
  tool_choice: { simulated: { type: 'any' } },
  tools: { simulated: [tool('other')] },
  user_profile_id: { header: 'profile_1' },
  workspace_id: { header: 'wrkspc_1' },
};

const BETA: Rows<Omit<Anthropic.Beta.MessageCreateParamsNonStreaming, keyof typeof MESSAGES>> = {
  betas: { header: ['context-management-2025-06-27'] },
  billing_policy: { accepted: { type: 'requester' }, because: 'nobody is billed' },
  compaction: { refused: { type: 'summarize' } },
  context_management: { simulated: KEEP_ALL, shownBy: 'the tests of `context_management` below' },
  fallback_credit_token: { refused: 'token' },
  fallbacks: { refused: 'default', unlike: [[]] },
  mcp_servers: { refused: [{ type: 'url', url: 'https://mcp.test', name: 'm' }], unlike: [[]] },
  output_format: { simulated: FORMAT },
  thread: { simulated: { type: 'create' } },
};

/** Fields of earlier releases of the SDK, which clients still send. */
const EARLIER: { readonly [field: string]: FieldRow } = {
  temperature: { accepted: 0.2, because: SCRIPTED },
  top_k: { accepted: 5, because: SCRIPTED },
  top_p: { accepted: 0.9, because: SCRIPTED },
};

const NO_TOKENS = 'it adds no tokens, and counting neither reads nor writes the cache';

const COUNTED: Rows<Anthropic.Beta.MessageCountTokensParams> = {
  betas: { header: [] },
  billing_policy: { accepted: { type: 'requester' }, because: 'the real service ignores it here' },
  cache_control: { accepted: { type: 'ephemeral' }, because: NO_TOKENS },
  compaction: { accepted: { type: 'summarize' }, because: 'the real service ignores it here' },
  context_management: { simulated: KEEP_ALL, shownBy: 'http.int.test.ts' },
  mcp_servers: { refused: [{ type: 'url', url: 'https://mcp.test', name: 'm' }], unlike: [[]] },
  messages: { simulated: [user('another')] },
  model: { simulated: 'no-such-model' },
  output_config: { accepted: { effort: 'low' }, because: NO_TOKENS },
  output_format: { accepted: FORMAT, because: NO_TOKENS },
  speed: { accepted: 'fast', because: NO_TOKENS },
  system: { simulated: [text('You help.'), text('Always.')] },
  thinking: { accepted: { type: 'adaptive' }, because: NO_TOKENS },
  tool_choice: { accepted: { type: 'any' }, because: NO_TOKENS },
  tools: { simulated: [tool('look'), tool('other')] },
  user_profile_id: { header: 'profile_1' },
  workspace_id: { header: 'wrkspc_1' },
};

const BASE: Wire = {
  tools: [tool('look')],
  system: [mark(text('You are helpful.'))],
  messages: [user('one', mark(text('two')))],
};

const ANSWER = { thinking: 'hm', text: 'This is a scripted answer of some length.' };

function sendSecond(base: Wire, fields: Wire): Outcome {
  const simulator = simulate({ idSeed: 'rows' });
  send(simulator, { ...BASE, ...base }, { answer: ANSWER, betas: EDITING });
  const outcome = simulator.messages({
    body: bodyOf({ ...BASE, ...fields }),
    answer: ANSWER,
    sizes: () => 2_000,
    betas: EDITING,
  });
  if (outcome.outcome === 'refused') return { status: outcome.status, refusal: outcome.message };
  return { status: 200, body: outcome.message, usage: outcome.usage };
}

function countSecond(_base: Wire, fields: Wire): Outcome {
  const body = JSON.stringify({ model: 'test-model', ...BASE, ...fields });
  const outcome = simulate().countTokens({ body, sizes: (i) => 1_000 + i, betas: EDITING });
  if (outcome.outcome === 'refused') return { status: outcome.status, refusal: outcome.message };
  return { status: 200, usage: outcome.inputTokens };
}

testRows('a Messages field', MESSAGES, sendSecond);
testRows('a beta Messages field', BETA, sendSecond);
testRows('a Messages field of an earlier SDK', EARLIER, sendSecond);
testRows('a field of count_tokens', COUNTED, countSecond);

describe('a stop sequence', () => {
  const stopped = (stop_sequences: unknown, answer: object): Wire =>
    send(simulate(), { stop_sequences }, { answer }).message;

  it('ends the answer before it, and the response names it', () => {
    expect(stopped(['STOP', 'two'], { text: 'one two STOP', calls: [{ name: 'look', arguments: {} }] })).toMatchObject({
      content: [{ type: 'text', text: 'one ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'two',
    });
  });

  it('at the start of the text leaves an answer without content', () => {
    expect(stopped(['one'], { text: 'one' })).toMatchObject({ content: [], stop_sequence: 'one' });
  });

  it('that is only in thinking or in a call does not end the answer', () => {
    const answer = { thinking: 'STOP', text: 'done', calls: [{ name: 'look', arguments: { a: 'STOP' } }] };
    expect(stopped(['STOP'], answer)).toMatchObject({ stop_reason: 'tool_use', stop_sequence: null });
  });

  it('does not cut an answer with a recorded length', () => {
    expect(stopped(['one'], { text: 'one two', outputTokens: 9 })).toMatchObject({ stop_reason: 'end_turn' });
  });

  it.each([
    ['END', 'stop_sequences: Input should be a valid list'],
    [[1], 'stop_sequences.0: Input should be a valid string'],
    [['a', ' '], 'stop_sequences: each stop sequence must contain non-whitespace'],
  ])('that is %j is refused', (stop_sequences, message) => {
    expect(refusal(simulate(), { stop_sequences }).message).toBe(message);
  });
});

describe('`context_management`', () => {
  it('with `clear_thinking_20251015` and keep "all" keeps thinking that the model would strip', () => {
    const read = (fields: Wire): number => {
      const simulator = simulate({ recordedSignatures: 'issued' });
      const thought = { type: 'thinking', thinking: 'hm', signature: 'c2lnbmF0dXJl' };
      const turn = [user('one', 'two'), { role: 'assistant', content: [thought, text('three')] }];
      const call = { model: 'old-model', messages: [...turn, user(mark(text('four')))], ...fields };
      return send(simulator, call, { betas: EDITING }).usage.cache_creation_input_tokens;
    };
    expect([read({}), read({ context_management: KEEP_ALL })]).toEqual([4_000, 5_000]);
  });

  it('is answered with no applied edits', () => {
    const { message } = send(simulate(), { context_management: KEEP_ALL }, { betas: EDITING });
    expect(message['context_management']).toEqual({ applied_edits: [] });
  });

  it.each<readonly [unknown, RegExp]>([
    [{ edits: [{ type: 'clear_tool_uses_20250919' }] }, /^simulator: .*'clear_tool_uses_20250919' is not simulated/],
    [{ edits: [{ type: 'compact_20260112' }] }, /^simulator: .*'compact_20260112' is not simulated/],
    [
      { edits: [{ type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 2 } }] },
      /^simulator: .*'clear_thinking_20251015' is not simulated as sent/,
    ],
    [{ edits: {} }, /^context_management\.edits: Input should be a valid list$/],
    [{ edits: [3] }, /^context_management\.edits\.0: Input should be a valid dictionary$/],
    [[], /^context_management: Input should be a valid dictionary$/],
  ])('%j is refused', (context_management, message) => {
    expect(refusal(simulate(), { context_management }, { betas: EDITING }).message).toMatch(message);
  });

  it('is unknown without its beta', () => {
    expect(refusal(simulate(), { context_management: KEEP_ALL }).message).toBe(
      'context_management: Extra inputs are not permitted',
    );
  });
});

it('an unknown service tier is refused', () => {
  expect(refusal(simulate(), { service_tier: 'flex' }).message).toBe(
    "service_tier: Input should be 'auto' or 'standard_only'",
  );
});

/** Side that runs the calls of each tool type of the SDK. */
const TOOLS: { readonly [Type in NonNullable<Anthropic.Beta.BetaToolUnion['type']>]: 'client' | 'server' } = {
  advisor_20260301: 'server',
  bash_20241022: 'client',
  bash_20250124: 'client',
  browser_toolset_20260801: 'client',
  code_execution_20250522: 'server',
  code_execution_20250825: 'server',
  code_execution_20260120: 'server',
  code_execution_20260521: 'server',
  computer_20241022: 'client',
  computer_20250124: 'client',
  computer_20251124: 'client',
  computer_toolset_20260801: 'client',
  custom: 'client',
  mcp_toolset: 'server',
  memory_20250818: 'client',
  text_editor_20241022: 'client',
  text_editor_20250124: 'client',
  text_editor_20250429: 'client',
  text_editor_20250728: 'client',
  tool_search_tool_bm25: 'server',
  tool_search_tool_bm25_20251119: 'server',
  tool_search_tool_regex: 'server',
  tool_search_tool_regex_20251119: 'server',
  web_fetch_20250910: 'server',
  web_fetch_20260209: 'server',
  web_fetch_20260309: 'server',
  web_fetch_20260318: 'server',
  web_search_20250305: 'server',
  web_search_20260209: 'server',
  web_search_20260318: 'server',
};

describe('a tool of the type', () => {
  it.each(Object.entries(TOOLS))('%s, which the %s runs, is accepted or refused', (type, side) => {
    const fields = { tools: [tool('look'), { ...tool('mine'), type }] };
    const outcome = simulate().messages({ body: bodyOf(fields) });
    if (side === 'client') expect(outcome.status).toBe(200);
    else expect(outcome).toMatchObject({ status: 400, message: expect.stringContaining(`'${type}' is not simulated`) });
    expect(simulate({ serverTools: 'offered' }).messages({ body: bodyOf(fields) }).status).toBe(200);
  });
});
