// Tests for the cache of older models (provider-facts §2.1): entries at fixed numbers of tokens (a grid), free writes,
// routing by cache key, and overflow.

import { describe, expect, it, test } from 'vitest';
import type { Simulator } from '../src/index.ts';
import {
  userMessage,
  parts,
  respond,
  assistantMessage,
  simulateOpenAI,
  developerMessage,
} from './openai-conversation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a model with a token grid', () => {
  const old = { model: 'gpt-old' };
  /**
   * Returns a text of this many tokens, at the simulator's four bytes per token. The text consists of parts of 16
   * characters, and no two parts are equal.
   */
  const words = (tokens: number, seed = ''): string =>
    Array.from({ length: Math.ceil(tokens / 4) }, (_, i) => `${seed}${i}`.padEnd(16, '.'))
      .join('')
      .slice(0, tokens * 4);
  const unsized = { sizes: () => undefined };
  const read = (simulator: Simulator, content: string, fields = {}, extra = {}): number =>
    respond(simulator, { ...old, ...fields, input: [userMessage(content)] }, { ...unsized, ...extra }).counts.read;

  test.each([
    [1023, 0],
    [1024, 1024],
    [1151, 1024],
    [1152, 1152],
    [5000, 4992],
  ])('reads, for a prompt of %i tokens that is sent twice, %i tokens', (tokens, expected) => {
    const simulator = simulateOpenAI();
    expect(read(simulator, words(tokens))).toBe(0);
    expect(read(simulator, words(tokens))).toBe(expected);
  });

  it('reads up to the last grid point before the first change, and reports no written tokens', () => {
    const simulator = simulateOpenAI();
    read(simulator, words(3000));
    const changed = `${words(3000).slice(0, 4 * 2000)}${words(1000, 'x')}`;
    const second = respond(simulator, { ...old, input: [userMessage(changed)] }, unsized);
    expect(parts(second)).toEqual([1920, 0, 1080]);
  });

  it('shares the beginning of two texts even if their lengths in bytes are not multiples of four', () => {
    const simulator = simulateOpenAI();
    read(simulator, `${words(2000)}one`);
    expect(read(simulator, `${words(2000)}${words(999, 'y')}yy`)).toBe(1920);
  });

  it('reads across the ends of messages', () => {
    const simulator = simulateOpenAI();
    const first = [userMessage(words(1000)), assistantMessage(words(1000, 'b'))];
    respond(simulator, { ...old, input: first }, unsized);
    const next = respond(simulator, { ...old, input: [...first, userMessage(words(500, 'c'))] }, unsized);
    expect(parts(next)).toEqual([1920, 0, 580]);
  });

  it('has grid points every 2,048 tokens on GPT-5.5', () => {
    const simulator = simulateOpenAI();
    read(simulator, words(5000), { model: 'gpt-5.5' });
    expect(read(simulator, words(5000), { model: 'gpt-5.5' })).toBe(4096);
  });

  it.each([
    ['in memory, five idle minutes', { prompt_cache_retention: 'in_memory' }, 5 * MINUTE],
    ['by default, a day', {}, 24 * HOUR],
    ['on GPT-5.5, typically half an hour', { model: 'gpt-5.5' }, 30 * MINUTE],
  ])('keeps entries for the documented time: %s', (_, fields, life) => {
    const again = (pause: number): number => {
      const simulator = simulateOpenAI();
      read(simulator, words(3000), fields, { at: 0 });
      return read(simulator, words(3000), fields, { at: pause });
    };
    expect(again(life - 1)).toBeGreaterThan(0);
    expect(again(life)).toBe(0);
  });

  it('keeps no in-memory entry longer than an hour, even if it is read often', () => {
    const simulator = simulateOpenAI();
    const at = (time: number): number =>
      read(simulator, words(3000), { prompt_cache_retention: 'in_memory' }, { at: time });
    const reads = Array.from({ length: 16 }, (_, i) => at(i * 4 * MINUTE));
    expect(reads.map((each) => each > 0)).toEqual(reads.map((_, i) => i !== 0 && i !== 15));
  });

  it('sends calls to a cold machine after 15 calls in a minute with the same cache key and prompt start', () => {
    const simulator = simulateOpenAI();
    const calls = Array.from({ length: 32 }, () =>
      respond(simulator, { ...old, prompt_cache_key: 'k', input: [userMessage(words(2000))] }, unsized),
    );
    const cold = calls.flatMap((call, i) => (call.counts.read === 0 ? [i] : []));
    expect(cold).toEqual([0, 15, 30]);
    expect(calls.map((call) => call.overflow)).toEqual(calls.map((_, i) => Math.floor(i / 15)));
    expect(
      respond(simulator, { ...old, input: [userMessage(words(2000))], prompt_cache_key: 'other' }, unsized).overflow,
    ).toBe(0);
  });

  it('chooses the machine by the first 256 tokens, at four bytes per token', () => {
    const simulator = simulateOpenAI();
    const overflows = (start: string): number =>
      Array.from({ length: 16 }, (_, i) =>
        respond(simulator, { ...old, input: [userMessage(`${start}${i}`)] }, unsized),
      )
        .map(({ overflow }) => overflow)
        .reduce((sum, one) => sum + one, 0);
    expect(overflows('x'.repeat(900))).toBe(0);
    expect(overflows('x'.repeat(1_100))).toBe(1);
    expect(overflows('é'.repeat(450))).toBe(0);
    expect(overflows('é'.repeat(550))).toBe(1);
  });

  it('uses the same machine for any number of calls at 12 calls a minute', () => {
    const simulator = simulateOpenAI();
    const calls = Array.from({ length: 40 }, (_, i) =>
      respond(simulator, { ...old, input: [userMessage(words(2000))] }, { ...unsized, at: i * 5000 }),
    );
    expect(calls.every((call, i) => call.overflow === 0 && (i === 0 || call.counts.read === 1920))).toBe(true);
  });

  it('loses cached prefixes if eight sessions with one front share a cache key, and loses nothing if each session has its own key', () => {
    const missed = (keyOf: (session: number) => string): number => {
      const simulator = simulateOpenAI();
      let lost = 0;
      for (let step = 1; step <= 8; step += 1) {
        for (let session = 0; session < 8; session += 1) {
          const talk = Array.from({ length: step }, (_, i) => userMessage(words(1024, `${session}.${i}`)));
          const input = [developerMessage(words(1024, 'front')), ...talk];
          const { counts } = respond(
            simulator,
            { ...old, prompt_cache_key: keyOf(session), input },
            { ...unsized, at: step * 9000 + session },
          );
          lost += step === 1 ? 0 : counts.input - 1024 - counts.read;
        }
      }
      return lost;
    };
    expect(missed((session) => `tm1.${session}`)).toBe(0);
    expect(missed(() => 'tm1')).toBeGreaterThan(8 * 1024);
  });
});
