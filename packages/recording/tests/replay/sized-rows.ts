// Builders of pi rows whose calls have given totals, so that a test can calculate its figures by hand. A first call of
// 100,000 tokens has a front of 10,000 and a prompt of 90,000.

import { assistant, call, moment, result, text, user } from '../import/pi-rows.ts';

/**
 * Returns a prompt whose estimate is larger than the first call. The replay then assumes that the front is a tenth of
 * that call.
 */
export function longPrompt(second = 0): object {
  return user('word '.repeat(100_000), second);
}

/**
 * Returns an answer to a call of `total` input tokens. `read` tokens came from the cache, and all other tokens were
 * written.
 */
export function answerAt(second: number, total: number, read: number, fields: object = {}): object {
  return assistant([text(`answer at ${second}`)], { ...usageOf(total, read), ...fields }, second);
}

/** Returns an answer that calls a tool, and the result of the call. */
export function callAt(second: number, total: number, read: number, fields: object = {}): readonly object[] {
  const id = `call-${second}`;
  return [assistant([call(id)], { ...usageOf(total, read), ...fields }, second), result(id, {}, second + 1)];
}

/** Returns the usage of a call. */
export function usageOf(total: number, read: number): object {
  return { usage: { input: 0, output: 1, cacheRead: read, cacheWrite: total - read } };
}

/** Returns a change of the reasoning level. */
export function levelAt(second: number, thinkingLevel: string): object {
  return { type: 'thinking_level_change', timestamp: moment(second), thinkingLevel };
}
