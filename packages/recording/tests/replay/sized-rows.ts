// Functions that build pi rows whose calls have given total sizes, so that the figures of a test can be calculated by
// hand. A first call of 100,000 tokens has a front of 10,000 and a prompt of 90,000 tokens.

import { assistant, call, moment, result, text, user } from '../import/pi-rows.ts';

/**
 * Returns a prompt whose estimated size is larger than the first call. The replay then assumes that the front is a
 * tenth of the first call.
 */
export function longPrompt(second = 0): object {
  return user('word '.repeat(100_000), second);
}

/**
 * Returns an answer to a call of `total` input tokens. The call read `read` of these tokens from the cache and wrote
 * all other tokens.
 */
export function answerAt(second: number, total: number, read: number, fields: object = {}): object {
  return assistant([text(`answer at ${second}`)], { ...usageOf(total, read), ...fields }, second);
}

/** Returns an answer that calls a tool, and the result of this tool call. */
export function callAt(second: number, total: number, read: number, fields: object = {}): readonly object[] {
  const id = `call-${second}`;
  return [assistant([call(id)], { ...usageOf(total, read), ...fields }, second), result(id, {}, second + 1)];
}

/** Returns the usage of a call that read `read` tokens from the cache and wrote all other input tokens. */
export function usageOf(total: number, read: number): object {
  return { usage: { input: 0, output: 1, cacheRead: read, cacheWrite: total - read } };
}

/** Returns an entry that changes the reasoning level. */
export function levelAt(second: number, thinkingLevel: string): object {
  return { type: 'thinking_level_change', timestamp: moment(second), thinkingLevel };
}
