// Tests for the numbers that OpenAI and a router report about the caches: the diagnosis of provider-facts §2.2, the
// usage of §2.3, and the usage of a router (§3).

import { describe, expect, it } from 'vitest';
import { mark, text } from './conversation.ts';
import {
  userMessage,
  called,
  chat,
  functionTool,
  output,
  outputOf,
  parts,
  respond,
  simulateOpenAI,
} from './openai-conversation.ts';

describe('the diagnosis of a cache miss', () => {
  const input = [userMessage('a', 'b')];

  it.each([
    ['model_changed', { model: 'gpt-new-sister' }],
    ['prompt_cache_key_changed', { prompt_cache_key: 'other' }],
    ['tools_changed', { tools: [functionTool('a')] }],
    ['reasoning_effort_changed', { reasoning: { effort: 'low' } }],
    ['verbosity_changed', { text: { verbosity: 'low' } }],
    ['text_format_changed', { text: { format: { type: 'json_object' } } }],
    ['service_tier_changed', { service_tier: 'flex' }],
    ['input_changed', { input: [userMessage('a', 'c')] }],
  ])('reports the reason %s and the number of tokens that were not read', (reason, change) => {
    const simulator = simulateOpenAI();
    const { body } = respond(simulator, { input });
    const again = respond(simulator, {
      input,
      ...change,
      prompt_cache_options: { comparison_response_id: body['id'] },
    });
    expect(again.body['prompt_cache_diagnostics']).toEqual({ type: 'cache_miss', reason, cache_missed_tokens: 2000 });
  });

  it('reports a hit, and reports a response id that is unknown', () => {
    const simulator = simulateOpenAI();
    const { body } = respond(simulator, { input });
    const compared = (id: unknown): unknown =>
      respond(simulator, { input, prompt_cache_options: { comparison_response_id: id } }).body[
        'prompt_cache_diagnostics'
      ];
    expect(compared(body['id'])).toEqual({ type: 'cache_hit' });
    expect(compared('resp_none')).toEqual({ type: 'comparison_response_not_found' });
    expect(respond(simulator, { input }).body).not.toHaveProperty('prompt_cache_diagnostics');
  });
});

describe('a router', () => {
  const router = { service: 'openrouter' } as const;
  const claude = { model: 'anthropic/claude-test' };
  const user = (...content: readonly unknown[]): unknown => ({ role: 'user', content });

  it('passes `cache_control` to Claude, which writes an entry at the marker and nowhere else', () => {
    const simulator = simulateOpenAI();
    const messages = [user(text('a'), mark(text('b')), text('c'))];
    expect(parts(chat(simulator, { ...claude, messages }, router))).toEqual([0, 2000, 1000]);
    expect(parts(chat(simulator, { ...claude, messages }, router))).toEqual([2000, 0, 1000]);
    const unmarked = [user(text('a'), text('b'), text('c'))];
    expect(parts(chat(simulator, { ...claude, messages: unmarked }, router))).toEqual([0, 0, 3000]);
  });

  it('makes an entry of Claude readable once the answer that wrote the entry has begun', () => {
    const simulator = simulateOpenAI({ firstByteMs: 1000 });
    const fields = { ...claude, messages: [user(text('a'), mark(text('b')))] };
    const at = (time: number): number => parts(chat(simulator, fields, { ...router, at: time }))[0];
    expect([at(0), at(999), at(1000)]).toEqual([0, 0, 2000]);
  });

  it("converts `cache_control` into a mark for newer OpenAI models, while OpenAI's own endpoint ignores `cache_control`", () => {
    const simulator = simulateOpenAI();
    const front = { role: 'system', content: [mark(text('a')), text('b')] };
    const talk = (word: string): unknown => ({ messages: [front, user(text(word))] });
    const big = { sizes: () => 1100 };
    chat(simulator, { ...Object(talk('one')), model: 'openai/gpt-new' }, { ...router, ...big });
    expect(parts(chat(simulator, { ...Object(talk('two')), model: 'openai/gpt-new' }, { ...router, ...big }))[0]).toBe(
      1100,
    );
    const direct = simulateOpenAI();
    chat(direct, Object(talk('one')), big);
    expect(parts(chat(direct, Object(talk('two')), big))[0]).toBe(0);
  });

  it('reports no cache details for a provider whose cache rules are unknown', () => {
    const simulator = simulateOpenAI();
    const { usage } = chat(
      simulator,
      { model: 'other/stranger', messages: [user(mark(text('a')), text('b'))] },
      router,
    );
    expect(usage).not.toHaveProperty('prompt_tokens_details');
  });
});

describe("the usage of OpenAI's wires", () => {
  it('counts reasoning as part of the output', () => {
    const simulator = simulateOpenAI();
    const answer = { thinking: 'x'.repeat(400), text: 'y'.repeat(40) };
    const { usage, ...rest } = respond(simulator, {}, { answer });
    expect(usage).toMatchObject({ output_tokens: 110, output_tokens_details: { reasoning_tokens: 100 } });
    expect(outputOf({ ...rest, usage })).toHaveLength(2);
    expect(chat(simulator, {}, { answer }).usage).toMatchObject({
      completion_tokens: 110,
      completion_tokens_details: { reasoning_tokens: 100 },
    });
  });

  it('counts the text and the media of a tool output, on both wires', () => {
    const simulator = simulateOpenAI();
    const unsized = { sizes: () => undefined };
    const url = 'https://example.org/a.png';
    const size = (content: unknown): number => {
      const input = [userMessage('go'), called('c1'), { ...output('c1'), output: content }];
      return respond(simulator, { input }, unsized).counts.input;
    };
    const look = { name: 'look', arguments: '{}' };
    const call = { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: look }] };
    const chatSize = (content: unknown): number => {
      const messages = [{ role: 'user', content: 'go' }, call, { role: 'tool', tool_call_id: 'c1', content }];
      return chat(simulator, { messages }, unsized).counts.input;
    };
    const long = 'x'.repeat(4_000);
    const image = { type: 'input_image', image_url: url };
    const words = { type: 'input_text', text: long };
    expect(size([words, image]) - size([words])).toBe(1_600);
    expect(size([image, words]) - size([image])).toBe(1_000);
    const chatImage = { type: 'image_url', image_url: { url } };
    expect(chatSize([text(long), chatImage]) - chatSize([text(long)])).toBe(1_600);
    expect(chatSize([chatImage, text(long)]) - chatSize([chatImage])).toBe(1_000);
  });
});
