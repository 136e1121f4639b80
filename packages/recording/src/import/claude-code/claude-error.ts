// An error row of Claude Code as a failed call: what to do next is read from what it says.

import type { JsonObject } from '../file/fields.ts';
import { listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { FailedMove, From } from '../format/move.ts';

type ImportedFailure = Pick<FailedMove, 'class' | 'code'>;

/** Tried in order on the row's `error` and its text. Status codes: Anthropic's errors page. */
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

/** The failed call that a row tells of. */
export function claudeError(row: JsonObject, from: From): FailedMove {
  const message = listOf(objectOf(row['message'])['content'])
    .map((block) => textOf(objectOf(block)['text']) ?? '')
    .join('\n');
  const said = `${nameOf(row['error']) ?? ''} ${message}`;
  const [, failure] = FAILURES.find(([pattern]) => pattern.test(said)) ?? [undefined, UNKNOWN];
  return { type: 'failed', from, ...failure, message };
}
