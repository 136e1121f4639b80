// Tests for calls of a recording that missed the cache, and for the causes of these misses as far as the file shows
// them.

import { describe, expect, it } from 'vitest';
import { answer, prompt, say } from '../import/claude-rows.ts';
import { header, moment, user } from '../import/pi-rows.ts';
import { replayRows } from './replay-rows.ts';
import { answerAt, callAt, levelAt, longPrompt } from './sized-rows.ts';

async function missesOf(...rows: readonly object[]): Promise<readonly object[]> {
  const { result } = await replayRows([header(1), longPrompt(), answerAt(10, 100_000, 0), ...rows]);
  return result.recorded.misses;
}

describe('a recorded call that read fewer tokens than the cache contained', () => {
  it('is a miss with the cause `expired` if its entry had expired', async () => {
    expect(await missesOf(user('on', 311), answerAt(312, 100_500, 0))).toMatchObject([
      { step: 1, cause: 'expired', tokens: 100_000, cost: 115_000 },
    ]);
  });

  it('is a miss with the cause `reasoning` if the reasoning level had changed', async () => {
    const misses = await missesOf(levelAt(11, 'high'), user('on', 12), answerAt(20, 100_500, 10_000));
    expect(misses).toMatchObject([{ cause: 'reasoning', tokens: 90_000 }]);
  });

  it('is a miss with the cause `model` if the model had changed, even to one of another provider', async () => {
    const gpt = { model: 'gpt-5.1-codex', provider: 'openai', api: 'openai-responses' };
    const { result } = await replayRows([
      header(1),
      longPrompt(),
      answerAt(10, 100_000, 0),
      user('on', 12),
      answerAt(20, 100_500, 0, gpt),
    ]);
    expect(result.recorded.misses).toMatchObject([{ cause: 'model', tokens: 100_000 }]);
    expect(result.standIns).toEqual([{ model: 'gpt-5.1-codex', as: 'claude-sonnet-4-5-20250929' }]);
  });

  it('is a miss with the cause `compaction` after a compaction', async () => {
    const compaction = {
      type: 'compaction',
      timestamp: moment(21),
      summary: 'so far',
      firstKeptEntryIndex: 2,
      tokensBefore: 100_000,
    };
    const misses = await missesOf(
      user('on', 12),
      answerAt(20, 101_000, 100_000),
      compaction,
      user('more', 22),
      answerAt(30, 12_500, 10_000),
    );
    expect(misses).toMatchObject([{ step: 2, cause: 'compaction', tokens: 1_000 }]);
  });

  it('is a miss with the cause `thinking-stripped` if the provider stripped thinking', async () => {
    const thinking = { type: 'thinking', thinking: 'let me see', thinkingSignature: 'c2lnbmF0dXJl' };
    const called = callAt(20, 101_000, 100_000, {
      content: [thinking, { type: 'toolCall', id: 'call-20', name: 'read', arguments: {} }],
    });
    const misses = await missesOf(
      user('on', 12),
      ...called,
      answerAt(30, 103_000, 101_000),
      user('on', 32),
      answerAt(40, 103_100, 101_000),
    );
    expect(misses).toMatchObject([{ step: 3, cause: 'thinking-stripped' }]);
  });

  it('has the cause `expired` only after one hour if the entry had a lifetime of one hour', async () => {
    const causeAfter = async (minutes: number): Promise<readonly string[]> => {
      const usageWith = (written: number, read: number): object => ({
        input_tokens: 3,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written },
        output_tokens: 5,
      });
      const first = { timestamp: moment(1) };
      const later = { timestamp: moment(60 * minutes) };
      const { result } = await replayRows([
        { ...prompt('p1', null, 'go'), ...first },
        { ...answer('a1', 'p1', 'm1', say('done'), { usage: usageWith(100_000, 0) }), ...first },
        { ...prompt('p2', 'a1', 'and now?'), ...later },
        { ...answer('a2', 'p2', 'm2', say('done too'), { usage: usageWith(100_500, 0) }), ...later },
      ]);
      return result.recorded.misses.map(({ cause }) => cause);
    };
    expect(await causeAfter(10)).toEqual(['front-changed-or-evicted']);
    expect(await causeAfter(70)).toEqual(['expired']);
  });

  it('is a miss whose cause follows from the read tokens if the file shows no change and no pause', async () => {
    expect(await missesOf(user('on', 12), answerAt(20, 100_500, 10_000))).toMatchObject([
      { cause: 'history-changed', tokens: 90_000 },
    ]);
  });

  it('is not a miss if only a few tokens are missing, or if the file does not contain the number of read tokens', async () => {
    expect(await missesOf(user('on', 12), answerAt(20, 100_500, 99_990))).toEqual([]);
    expect(await missesOf(user('on', 12), answerAt(20, 100_500, 0, { usage: { input: 100_500, output: 1 } }))).toEqual(
      [],
    );
  });
});

it('the account of the recording contains its bill and its ideal cost', async () => {
  const { result } = await replayRows([
    header(1),
    longPrompt(),
    answerAt(10, 100_000, 0),
    user('on', 12),
    answerAt(20, 100_500, 10_000),
  ]);
  expect(result.recorded.billed).toBe(125_000 + 1_000 + 1.25 * 90_500);
  expect(result.recorded.ideal).toBe(125_000 + 10_000 + 1.25 * 500);
  expect(result.recordedRatio).toBe(1.7631);
});
