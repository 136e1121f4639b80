// What follows a failed call: a pause and the same step again, or the end of the turn.

import type { ProviderError, ProviderErrorCode } from '@tidemark/model';
import type { RetryPolicy } from '../turn/runtime.ts';
import type { TurnEnding } from './next-move.ts';

/** A limit by the minute is over after one; what is longer is for a person to decide. */
const LONGEST_MS = 120_000;

/**
 * How long to wait before the same step is sent again, in milliseconds; `undefined`: it is not. The provider's own word goes
 * first; else the pause doubles, and chance takes up to half of it, so that not all who failed together come back together.
 */
export function retryPause(
  policy: RetryPolicy,
  error: ProviderError,
  tries: number,
  chance: number,
): number | undefined {
  if (error.class !== 'retryable' || tries >= policy.attempts) return undefined;
  const { afterMs } = error.data;
  if (afterMs !== undefined) return afterMs > (policy.longestMs ?? LONGEST_MS) ? undefined : afterMs;
  const whole = Math.min(policy.mostMs, policy.firstMs * 2 ** (tries - 1));
  return Math.round(whole * (1 - chance / 2));
}

/** The end of a turn whose call failed for good. The session stays valid, and `resume` asks again. */
export function failedBy(error: ProviderError): TurnEnding {
  const next = waitFor(error) ?? NEXT[error.code] ?? BY_CLASS[error.class];
  return { outcome: 'failed', error: { code: error.code, message: beginningOf(error.message), next } };
}

/** Most characters of a failure where it is repeated. The record of the failed call holds all of them. */
const MOST_WORDS = 400;

/** Returns the beginning of a failure's message, for what repeats it. */
export function beginningOf(message: string): string {
  return message.length <= MOST_WORDS ? message : `${message.slice(0, MOST_WORDS).toWellFormed()}…`;
}

function waitFor({ class: sort, data: { afterMs } }: ProviderError): string | undefined {
  if (sort !== 'retryable' || afterMs === undefined) return undefined;
  return `Wait ${Math.ceil(afterMs / 1000).toLocaleString('en-US')} s, as the provider asks, then resume.`;
}

const BY_CLASS: Readonly<Record<ProviderError['class'], string>> = {
  retryable: 'Wait a little, then resume.',
  compaction: 'Compact the history (tidemark compact, or compact() of the session), then resume.',
  refused: 'Change what the message says, then resume or go on with another prompt.',
  stop: 'Settle it with the provider, then resume.',
};

const NEXT: { readonly [Code in ProviderErrorCode]?: string } = {
  'provider/authentication': 'Set a valid API key, then resume.',
  'provider/permission': 'Use a key that may use this model, or another model; then resume.',
  'provider/billing': "Settle the account's billing with the provider, then resume.",
  'provider/address':
    'Check the address of the provider (--base-url, or baseUrl in the settings) and the network, then resume.',
  'provider/oversized': 'Check the address of the provider (--base-url, or baseUrl in the settings), then resume.',
  'provider/not-found': 'Check the name of the model and the address of the provider, then resume.',
};
