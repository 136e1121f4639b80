// Rows of pi whose calls have the totals that a test wants, so that its figures can be worked out by hand. A first call of
// 100,000 tokens is a front of 10,000 and a prompt of 90,000.

import { assistant, call, moment, result, text, user } from '../import/pi-rows.ts';

/** A prompt too long for its estimate to be believed: the front is then a tenth of the first call. */
export function longPrompt(second = 0): object {
  return user('word '.repeat(100_000), second);
}

/** An answer to a call of so many tokens, of which `read` came from the cache and the rest was written. */
export function answerAt(second: number, total: number, read: number, fields: object = {}): object {
  return assistant([text(`answer at ${second}`)], { ...usageOf(total, read), ...fields }, second);
}

/** An answer that calls a tool, and its result. */
export function callAt(second: number, total: number, read: number, fields: object = {}): readonly object[] {
  const id = `call-${second}`;
  return [assistant([call(id)], { ...usageOf(total, read), ...fields }, second), result(id, {}, second + 1)];
}

/** The usage of a call. */
export function usageOf(total: number, read: number): object {
  return { usage: { input: 0, output: 1, cacheRead: read, cacheWrite: total - read } };
}

/** The reasoning level changes. */
export function levelAt(second: number, thinkingLevel: string): object {
  return { type: 'thinking_level_change', timestamp: moment(second), thinkingLevel };
}
