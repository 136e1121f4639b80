// Tests for the forced cost, which no engine could have avoided, by its cause. Every figure can be calculated by hand.
// A token of Sonnet 4.5 costs 1.25 units to write, 0.1 to read and 1 if it is not cached. So a token that is written
// again instead of read costs 1.15 units more.

import { describe, expect, it } from 'vitest';
import { assistant, header, message, moment, result as resultOf, text, user } from '../import/pi-rows.ts';
import { pictureOf } from './recorder.ts';
import { replayRows } from './replay-rows.ts';
import { answerAt, callAt, levelAt, longPrompt, usageOf } from './sized-rows.ts';

const sonnet = { model: 'claude-sonnet-4-5' };

describe('the forced cost', () => {
  it('is 0 if each call extends the previous one', async () => {
    const { result } = await replayRows([
      header(1),
      longPrompt(),
      ...callAt(10, 100_000, 0),
      answerAt(20, 101_000, 100_000),
    ]);
    // Cost: 125,000 for the first call, then 10,000 for 100,000 tokens read and 1,250 for 1,000 tokens written.
    expect(result).toMatchObject({ billed: 125_000 + 10_000 + 1_250, forced: 0, ratio: 1, expiringRatio: 1 });
    expect(result).toMatchObject({
      ideal: result.billed,
      expiring: result.billed,
      uncached: 201_000,
      tokens: 201_000,
      calls: 2,
    });
  });

  it('contains the cost of writing everything after the front again when the reasoning level changes', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      levelAt(11, 'high'),
      user('on', 12),
      answerAt(20, 100_500, 10_000),
    ];
    const { result } = await replayRows(rows);
    expect(result.forcedBy).toEqual({ reasoning: 103_500 });
    // The front is read, and all other tokens are written again.
    expect(result.billed).toBe(125_000 + 1_000 + 1.25 * 90_500);
    expect(result.ideal).toBe(125_000 + 10_000 + 1.25 * 500);
    expect(result).toMatchObject({ ratio: 1, breaks: { labelled: 1, unlabelled: 0 } });
    expect(result.breaks.list).toMatchObject([{ step: 1, cause: 'reasoning', tokens: 90_000, cost: 103_500 }]);
  });

  it('does not contain the cost of a level that changed back before the next call', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      levelAt(11, 'high'),
      levelAt(12, 'off'),
      user('on', 13),
      answerAt(20, 100_500, 100_000),
    ];
    const { result } = await replayRows(rows);
    expect(result).toMatchObject({ forced: 0, breaks: { labelled: 0, unlabelled: 0 }, ratio: 1 });
  });

  it('is small if a level returns while its cache entry is still alive, because that entry is read', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      levelAt(11, 'high'),
      user('on', 12),
      answerAt(20, 100_500, 10_000),
      levelAt(21, 'off'),
      user('back', 22),
      answerAt(30, 101_000, 100_000),
    ];
    const { result } = await replayRows(rows);
    // The third call reads the 100,000 tokens of the first call. It writes again the 500 tokens that only the second
    // call had sent. This costs 575 units more than reading them.
    expect(result.forcedBy).toEqual({ reasoning: 103_500 + 575 });
    expect(result.ratio).toBe(1);
  });

  it('contains the cost of writing all earlier tokens again when the model changes', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0, sonnet),
      user('on', 12),
      answerAt(20, 100_500, 0, { model: 'claude-opus-4-6' }),
    ];
    const { result } = await replayRows(rows);
    expect(result.forcedBy).toEqual({ model: 115_000 });
    expect(result).toMatchObject({ billed: 125_000 + 1.25 * 100_500, ratio: 1, standIns: [] });
    const kept = await replayRows(rows, '5m', 'off', 'off', 'first');
    expect(kept.result.forcedBy).toEqual({});
    expect(kept.result.billed).toBe(125_000 + 0.1 * 100_000 + 1.25 * 500);
    expect(kept.calls.map(({ row }) => row.capabilities.model)).toEqual(
      Array(2).fill(kept.calls[0]?.row.capabilities.model),
    );
  });

  it('contains nothing for a change of the reasoning level if all calls use the level of the first call', async () => {
    const rows = [
      header(1),
      levelAt(1, 'low'),
      longPrompt(),
      answerAt(10, 100_000, 0, sonnet),
      levelAt(11, 'high'),
      user('on', 12),
      answerAt(20, 100_500, 0, sonnet),
    ];
    expect((await replayRows(rows)).result.forcedBy).toHaveProperty('reasoning');
    expect((await replayRows(rows, '5m', 'off', 'off', 'first')).result.forcedBy).toEqual({});
  });

  it('contains the cost of writing the history that a compaction keeps, while the front is read', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      user('on', 12),
      answerAt(20, 101_000, 100_000),
      // The compaction keeps the history from the first answer on: this answer and the prompt after it, 1,000 tokens.
      { type: 'compaction', timestamp: moment(21), summary: 'so far', firstKeptEntryIndex: 2, tokensBefore: 101_000 },
      user('more', 22),
      answerAt(30, 12_500, 10_000),
    ];
    const { result } = await replayRows(rows);
    expect(result.forcedBy).toEqual({ compaction: 1_150 });
    expect(result.billed).toBe(125_000 + (10_000 + 1_250) + (1_000 + 1.25 * 2_500));
    expect(result.ratio).toBe(1);
  });

  it('does not contain a break after the cache entry had expired, because the pause caused this cost', async () => {
    const rows = [
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      levelAt(11, 'high'),
      user('on', 12),
      answerAt(310, 100_500, 0),
    ];
    const { result } = await replayRows(rows);
    expect(result).toMatchObject({ forced: 0, forcedBy: {}, expiringRatio: 1, expiring: 125_000 + 1.25 * 100_500 });
    expect(result.misses).toMatchObject([{ cause: 'expired', tokens: 100_000 }]);
  });

  it('contains the cost of a miss at the first image of a session, which is a rule of the provider', async () => {
    const { mediaType, data } = pictureOf({ now: 0, context: 0, cached: 0, cachedAt: 0, made: 1 });
    const picture = message('user', { content: [text('look'), { type: 'image', mimeType: mediaType, data }] }, 12);
    const { result } = await replayRows([
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      picture,
      answerAt(20, 100_500, 10_000),
    ]);
    expect(result.forcedBy).toEqual({ image: 103_500 });
    expect(result).toMatchObject({ ratio: 1, breaks: { labelled: 0, unlabelled: 0 } });
  });

  it('contains the cost of writing everything after thinking again when the provider strips the thinking at a new turn', async () => {
    const thinking = { type: 'thinking', thinking: 'let me see', thinkingSignature: 'c2lnbmF0dXJl' };
    const [called, came] = callAt(10, 100_000, 0, {
      content: [thinking, { type: 'toolCall', id: 'call-10', name: 'read', arguments: {} }],
    });
    const rows = [
      header(1),
      longPrompt(),
      called ?? {},
      came ?? {},
      answerAt(20, 103_000, 100_000),
      user('on', 22),
      answerAt(30, 103_000, 100_000),
    ];
    const { result, calls } = await replayRows(rows);
    const stripped = calls[1]?.prepared.sequence.blocks.buffer.find((block) => block.holds === 'thinking')?.tokens ?? 0;
    // The thinking (`stripped` tokens) among the 3,000 tokens after the prompt is not sent again. The other tokens are
    // written again.
    expect(stripped).toBeGreaterThan(0);
    expect(result.forcedBy['thinking-stripped']).toBeCloseTo(1.15 * (3_000 - stripped), 3);
    expect(result.ratio).toBe(1);
  });

  it('contains the extra cost of a call that shrinks below the floor, because its entry can no longer be read', async () => {
    const haiku = { model: 'claude-haiku-4-5' };
    const [first, second] = [answerAt(10, 5_000, 0, haiku), answerAt(20, 3_000, 0, haiku)];
    const { result } = await replayRows([header(1), user('go'), first, user('on', 12), second]);
    expect(Object.keys(result.forcedBy)).toEqual(['below-floor']);
    expect(result.misses).toMatchObject([{ step: 1, cause: 'below-floor' }]);
    expect(result).toMatchObject({ billed: 1.25 * 5_000 + 3_000, tokens: 8_000 });
    expect(result.expiringRatio).toBeLessThanOrEqual(1);
  });

  it('contains the loss if the provider strips thinking from before the first prompt', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'let me see', thinkingSignature: 'c2lnbmF0dXJl' },
      { type: 'toolCall', id: 'c', name: 'read', arguments: {} },
    ];
    const unbilled = assistant(blocks, { usage: undefined });
    const rows = [header(1), unbilled, resultOf('c'), answerAt(10, 8_000, 0), user('on', 12), answerAt(20, 8_100, 0)];
    const { result } = await replayRows(rows);
    expect(result.misses.map((miss) => miss.cause)).toEqual(['thinking-stripped']);
    expect(result.expiringRatio).toBe(1);
  });

  it('contains the extra cost of calls below the floor, where nothing is cached', async () => {
    const haiku = { model: 'claude-haiku-4-5' };
    const small = (second: number, total: number): object =>
      answerAt(second, total, 0, { ...haiku, ...usageOf(total, 0) });
    const rows = [
      header(1),
      user('go'),
      small(10, 3_000),
      user('on', 12),
      small(20, 3_500),
      user('on', 22),
      small(30, 5_000),
    ];
    const { result } = await replayRows(rows);
    // The first two calls are below the floor of 4,096 tokens and are billed as uncached. The third call writes its
    // whole input. Compared with a read, the second call costs 0.9 units more for each of 3,000 tokens, and the third
    // call 1.15 units more for each of 3,500 tokens.
    expect(result.billed).toBe(3_000 + 3_500 + 1.25 * 5_000);
    expect(result.forcedBy).toEqual({ 'below-floor': 2_700 + 4_025 });
    expect(result.misses).toMatchObject([
      { cause: 'below-floor', tokens: 3_000 },
      { cause: 'below-floor', tokens: 3_500 },
    ]);
    expect(result.expiringRatio).toBeLessThanOrEqual(1);
  });
});
