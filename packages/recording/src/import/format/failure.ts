// Sorts the failed calls of a transcript by the text of the error, because transcripts contain no error class.

import type { FailedMove } from './move.ts';

type ImportedFailure = Pick<FailedMove, 'class' | 'code'>;

/**
 * Failures by pattern. The first pattern that matches the text decides. The status codes are those of
 * Anthropic's errors page.
 */
const FAILURES: readonly (readonly [RegExp, ImportedFailure])[] = [
  [/prompt is too long|context limit|context window|input length/i, { class: 'compaction', code: 'provider/too-long' }],
  [/\b413\b|request_too_large|request too large/i, { class: 'compaction', code: 'provider/too-large' }],
  [/authentication|\b401\b|invalid api key|\/login/i, { class: 'stop', code: 'provider/authentication' }],
  [/billing|credit balance|\b402\b/i, { class: 'stop', code: 'provider/billing' }],
  [/permission_error|\b403\b/i, { class: 'stop', code: 'provider/permission' }],
  [/rate_limit|\b429\b|usage limit|limit reached/i, { class: 'retryable', code: 'provider/rate-limited' }],
  [/overloaded|\b529\b/i, { class: 'retryable', code: 'provider/overloaded' }],
  [/timed? ?out/i, { class: 'retryable', code: 'provider/timeout' }],
  [/connection|network|socket|ECONN|fetch failed/i, { class: 'retryable', code: 'provider/connection' }],
  [/\b404\b|not_found/i, { class: 'refused', code: 'provider/not-found' }],
  [/\b400\b|invalid_request/i, { class: 'refused', code: 'provider/invalid' }],
  [/\b5\d\d\b|api_error|server_error/i, { class: 'retryable', code: 'provider/server' }],
];

const UNKNOWN: ImportedFailure = { class: 'retryable', code: 'provider/server' };

/** Returns the class and the code of a failed call. `text` is the error as the transcript states it. */
export function failureOf(text: string): ImportedFailure {
  const [, failure] = FAILURES.find(([pattern]) => pattern.test(text)) ?? [undefined, UNKNOWN];
  return failure;
}
