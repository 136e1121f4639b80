// Tests for the cache of GPT-5.6 and later (provider-facts §2.1, §2.2). Also tests rules that older models share:
// isolation, settings and eviction.

import { describe, expect, it } from 'vitest';
import {
  userMessage,
  called,
  chat,
  functionTool,
  marked,
  output,
  parts,
  respond,
  assistantMessage,
  simulateOpenAI,
  developerMessage,
} from './openai-conversation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the cache of GPT-5.6 and later', () => {
  it('writes up to the end of the last eligible message, and reads an entry of an earlier request', () => {
    const simulator = simulateOpenAI();
    const opening = [developerMessage('contract'), userMessage('a', 'b')];
    expect(parts(respond(simulator, { input: opening }))).toEqual([0, 3000, 0]);
    const grown = [...opening, assistantMessage('c'), userMessage('d')];
    expect(parts(respond(simulator, { input: grown }))).toEqual([3000, 2000, 0]);
    expect(parts(respond(simulator, { input: [...grown, assistantMessage('e')] }))).toEqual([5000, 0, 1000]);
  });

  it('bills each input token once: as uncached, cached or written', () => {
    const simulator = simulateOpenAI();
    respond(simulator, { input: [userMessage('a')] });
    const { usage } = respond(simulator, { input: [userMessage('a'), assistantMessage('b'), userMessage('c')] });
    expect(usage).toMatchObject({
      input_tokens: 3000,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 3000 },
    });
  });

  it('has one place for an entry in a run of tool outputs: after the last output', () => {
    const simulator = simulateOpenAI();
    const base = [userMessage('a', 'b'), called('c1'), called('c2')];
    respond(simulator, { input: [...base, output('c1'), output('c2')] });
    const next = [...base, output('c1'), output('c2', 'other')];
    expect(parts(respond(simulator, { input: next }))).toEqual([0, 6000, 0]);
    expect(parts(respond(simulator, { input: [...next, userMessage('go on')] }))).toEqual([6000, 1000, 0]);
  });

  it('counts the outputs of 25 parallel calls as one message end, so the search still finds the entry before them', () => {
    const simulator = simulateOpenAI();
    const ids = Array.from({ length: 25 }, (_, i) => `c${i}`);
    respond(simulator, { input: [userMessage('a', 'b')] });
    const step = [...ids.map((id) => called(id)), ...ids.map((id) => output(id))];
    expect(parts(respond(simulator, { input: [userMessage('a', 'b'), ...step] }))).toEqual([2000, 50_000, 0]);
  });

  it('reads the opening developer messages in another conversation if an earlier request ended with these messages', () => {
    const simulator = simulateOpenAI();
    respond(simulator, { input: [developerMessage('contract', 'rules')] });
    expect(parts(respond(simulator, { input: [developerMessage('contract', 'rules'), userMessage('other')] }))).toEqual(
      [2000, 1000, 0],
    );
  });

  it('does not share an opening between conversations if no request ended with the opening or marked it', () => {
    const simulator = simulateOpenAI();
    respond(simulator, { input: [developerMessage('contract', 'rules'), userMessage('one')] });
    expect(parts(respond(simulator, { input: [developerMessage('contract', 'rules'), userMessage('other')] }))).toEqual(
      [0, 3000, 0],
    );
  });

  it('shares a marked opening between conversations', () => {
    const simulator = simulateOpenAI();
    const opening = { ...marked('contract'), role: 'developer' };
    const long = { sizes: (index: number) => (index === 0 ? 2000 : 500) };
    respond(simulator, { input: [opening, userMessage('one')] }, long);
    expect(parts(respond(simulator, { input: [opening, userMessage('other')] }, long))).toEqual([2000, 500, 0]);
  });

  it('caches nothing below 1,024 tokens', () => {
    const simulator = simulateOpenAI();
    const small = { sizes: () => 1023 };
    expect(parts(respond(simulator, { input: [userMessage('a')] }, small))).toEqual([0, 0, 1023]);
    expect(parts(respond(simulator, { input: [userMessage('a')] }, { sizes: () => 1024 }))).toEqual([0, 1024, 0]);
  });

  it('writes only the latest four marks in explicit mode, and nothing without a mark', () => {
    const simulator = simulateOpenAI();
    const prompt_cache_options = { mode: 'explicit' };
    const plain = { prompt_cache_options, input: [userMessage('a', 'b')] };
    respond(simulator, plain);
    expect(parts(respond(simulator, plain))).toEqual([0, 0, 2000]);
    const words = ['1', '2', '3', '4', '5', '6'];
    respond(simulator, { prompt_cache_options, input: [...words.map((word) => marked(word)), userMessage('end')] });
    const upTo = (count: number): unknown =>
      parts(respond(simulator, { prompt_cache_options, input: words.slice(0, count).map((word) => marked(word)) }))[0];
    expect(upTo(2)).toBe(0);
    expect(upTo(6)).toBe(6000);
  });

  it('writes the latest three marks in implicit mode, in addition to the end of the last eligible message', () => {
    const simulator = simulateOpenAI();
    const words = ['1', '2', '3', '4', '5'].map((word) => marked(word));
    respond(simulator, { input: [...words, userMessage('end')] });
    const cut = (count: number): number =>
      parts(respond(simulator, { prompt_cache_options: { mode: 'explicit' }, input: words.slice(0, count) }))[0];
    expect([cut(2), cut(3)]).toEqual([0, 3000]);
  });

  it('is searched at the first two marks and the latest fifty marks, but not at the marks between them', () => {
    const simulator = simulateOpenAI();
    const prompt_cache_options = { mode: 'explicit' };
    const words = Array.from({ length: 60 }, (_, i) => marked(`w${i}`));
    respond(simulator, { prompt_cache_options, input: words.slice(0, 3) });
    expect(parts(respond(simulator, { prompt_cache_options, input: words }))[0]).toBe(2000);
    expect(parts(respond(simulator, { prompt_cache_options, input: words.slice(0, 52) }))[0]).toBe(3000);
  });

  it('does not find the implicit entry after a change to explicit mode, except with a mark at the same place', () => {
    const options = { prompt_cache_options: { mode: 'explicit' } };
    const simulator = simulateOpenAI();
    respond(simulator, { input: [userMessage('a', 'b')] });
    expect(parts(respond(simulator, { ...options, input: [userMessage('a', 'b'), userMessage('c')] }))[0]).toBe(0);
    respond(simulator, { input: [marked('x'), userMessage('y')] }, { sizes: () => 2000 });
    expect(parts(respond(simulator, { ...options, input: [marked('x')] }, { sizes: () => 2000 }))[0]).toBe(2000);
  });

  it('is searched at the latest 20 message ends before the current one, and at no earlier ends', () => {
    const talk = Array.from({ length: 30 }, (_, i) => [userMessage(`q${i}`), assistantMessage(`a${i}`)]).flat();
    const simulator = simulateOpenAI();
    respond(simulator, { input: talk.slice(0, 9) });
    expect(parts(respond(simulator, { input: talk.slice(0, 49) }))[0]).toBe(9000);
    const other = simulateOpenAI();
    respond(other, { input: talk.slice(0, 9) });
    expect(parts(respond(other, { input: talk.slice(0, 51) }))[0]).toBe(0);
  });

  it('is searched at the end of the opening even if more than 20 message ends follow it', () => {
    const simulator = simulateOpenAI();
    const opening = developerMessage('contract', 'rules');
    respond(simulator, { input: [opening] });
    const talk = Array.from({ length: 30 }, (_, i) => userMessage(`q${i}`));
    expect(parts(respond(simulator, { input: [opening, ...talk] }))).toEqual([2000, 30_000, 0]);
  });

  it('restarts the lifetime of the entry that was read, and creates no unpaid entry before it', () => {
    const simulator = simulateOpenAI();
    const reads = (at: number, ...input: readonly unknown[]): number =>
      parts(respond(simulator, { input }, { at, sizes: () => 2000 }))[0];
    reads(0, userMessage('a'));
    expect(reads(20 * MINUTE, userMessage('a'), assistantMessage('b'), userMessage('c'))).toBe(2000);
    expect(reads(49 * MINUTE, userMessage('a'), assistantMessage('x'))).toBe(2000);
    reads(HOUR, userMessage('1'), userMessage('2'));
    expect(reads(HOUR + 1, marked('1'), userMessage('2'))).toBe(4000);
    expect(reads(HOUR + 2, userMessage('1'), userMessage('3'))).toBe(0);
  });

  it('does not change the lifetime of an entry when a request with another `ttl` only reads it', () => {
    const simulator = simulateOpenAI();
    const at = (time: number, ttl: '30m' | '12h'): number =>
      parts(respond(simulator, { prompt_cache_options: { ttl }, input: [userMessage('a', 'b')] }, { at: time }))[0];
    at(0, '30m');
    expect(at(MINUTE, '12h')).toBe(2000);
    expect(at(40 * MINUTE, '12h')).toBe(0);
  });

  it('keeps an entry 30 minutes or 12 hours after its last use, and reports 12-hour writes separately', () => {
    const simulator = simulateOpenAI();
    const at = (time: number, ttl: '30m' | '12h' = '30m'): readonly number[] =>
      parts(respond(simulator, { prompt_cache_options: { ttl }, input: [userMessage(ttl, 'b')] }, { at: time }));
    expect(at(0)).toEqual([0, 2000, 0]);
    expect(at(30 * MINUTE - 1)).toEqual([2000, 0, 0]);
    expect(at(60 * MINUTE - 2)).toEqual([2000, 0, 0]);
    expect(at(90 * MINUTE)).toEqual([0, 2000, 0]);
    at(2 * HOUR, '12h');
    expect(at(14 * HOUR - 1, '12h')).toEqual([2000, 0, 0]);
    expect(at(26 * HOUR, '12h')).toEqual([0, 2000, 0]);
    const mixed = respond(simulator, { input: [marked('front', '12h'), userMessage('tail')] }, { sizes: () => 1500 });
    expect(mixed.usage).toMatchObject({
      input_tokens_details: {
        cache_write_tokens: 3000,
        cache_write_tokens_details: { ttl_30m_tokens: 1500, ttl_12h_tokens: 1500 },
      },
    });
  });

  it('makes an entry readable once the answer that writes it has begun', () => {
    const simulator = simulateOpenAI({ firstByteMs: 1000 });
    const fields = { input: [userMessage('a', 'b')] };
    respond(simulator, fields, { at: 0 });
    expect(parts(respond(simulator, fields, { at: 999 }))).toEqual([0, 2000, 0]);
    expect(parts(respond(simulator, fields, { at: 1000 }))).toEqual([2000, 0, 0]);
  });

  it('is written by a prewarm call, which returns no answer', () => {
    const simulator = simulateOpenAI();
    const warm = respond(simulator, { prompt_cache_options: { prewarm: true }, input: [userMessage('a', 'b')] });
    expect(parts(warm)).toEqual([0, 2000, 0]);
    expect(warm.body).toMatchObject({ status: 'completed', output: [], usage: { output_tokens: 0 } });
    expect(parts(respond(simulator, { input: [userMessage('a', 'b')] }))).toEqual([2000, 0, 0]);
  });

  it('is separate for each cache key and never overflows to another machine', () => {
    const simulator = simulateOpenAI();
    const call = (key: string): number =>
      parts(respond(simulator, { prompt_cache_key: key, input: [userMessage('a', 'b')] }))[0];
    call('one');
    expect(Array.from({ length: 40 }, () => call('one')).every((read) => read === 2000)).toBe(true);
    expect(call('two')).toBe(0);
  });
});

describe('the caches of GPT-5.6 and of older models', () => {
  const long = 'x'.repeat(8000);

  it.each(['gpt-new', 'gpt-old'])('on %s are separate for each organisation and model', (model) => {
    const simulator = simulateOpenAI();
    const fields = { model, input: [userMessage(long, long)] };
    respond(simulator, fields, { account: 'one' });
    expect(respond(simulator, fields, { account: 'two' }).counts.read).toBe(0);
    expect(respond(simulator, { ...fields, model: 'gpt-new-sister' }, { account: 'one' }).counts.read).toBe(0);
    expect(respond(simulator, fields, { account: 'one' }).counts.read).toBeGreaterThan(0);
  });

  it.each([
    ['effort', { reasoning: { effort: 'high' } }],
    ['verbosity', { text: { verbosity: 'low' } }],
    ['output format', { text: { format: { type: 'json_object' } } }],
    ['parallel calls', { parallel_tool_calls: false }],
    ['service tier', { service_tier: 'flex' }],
    ['a tool', { tools: [functionTool('a'), functionTool('c')] }],
    ['the order of tools', { tools: [functionTool('b'), functionTool('a')] }],
    ['the instructions', { instructions: 'other' }],
  ])('lose the whole prefix after a change of %s', (_, change) => {
    const tools = [functionTool('a'), functionTool('b')];
    for (const model of ['gpt-new', 'gpt-old']) {
      const simulator = simulateOpenAI();
      const fields = { model, tools, instructions: 'rules', input: [userMessage(long)] };
      respond(simulator, fields);
      expect(respond(simulator, { ...fields, ...change }).counts.read).toBe(0);
      expect(respond(simulator, fields).counts.read).toBeGreaterThan(0);
    }
  });

  it.each([
    ['tool choice', { tool_choice: 'none' }],
    [
      'a default that is now explicit',
      { reasoning: { effort: 'medium' }, service_tier: 'auto', text: { verbosity: 'medium' } },
    ],
    ['the service tier to the default', { service_tier: 'default' }],
    ['the answer’s limit', { max_output_tokens: 77 }],
  ])('keep the whole prefix after a change of %s', (_, change) => {
    const simulator = simulateOpenAI();
    const fields = { tools: [functionTool('a')], input: [userMessage(long)] };
    respond(simulator, fields);
    expect(respond(simulator, { ...fields, ...change }).counts.read).toBe(2000);
  });

  it('keep the prefix if an appended item changes the effort, on a model that accepts such an item', () => {
    const simulator = simulateOpenAI();
    const update = { type: 'configuration_update', reasoning: { effort: 'high' } };
    respond(simulator, { input: [userMessage('a', 'b')] });
    expect(
      parts(respond(simulator, { input: [userMessage('a', 'b'), assistantMessage('c'), update, userMessage('d')] }))[0],
    ).toBe(2000);
  });

  it('lose all entries of an account on which an `evicted` fault takes effect, and all entries after `evict()`', () => {
    const simulator = simulateOpenAI();
    const fields = { input: [userMessage('a', 'b')] };
    respond(simulator, fields);
    expect(parts(respond(simulator, fields, { fault: { kind: 'evicted' } }))[0]).toBe(0);
    simulator.evict();
    expect(parts(respond(simulator, fields))[0]).toBe(0);
  });

  it('are shared between Responses and Chat for the same content', () => {
    const simulator = simulateOpenAI();
    respond(simulator, { input: [developerMessage('rules'), userMessage('a')] });
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'a' },
    ];
    expect(parts(chat(simulator, { messages }))[0]).toBe(2000);
  });
});
