// Turns a fault of `../../core/faults.ts` into a refusal with OpenAI's error texts (provider-facts §2.5).

import type { Fault, WrongUsage } from '../../core/faults.ts';
import { refuseOpenAI } from './refusal.ts';
import type { OpenAIRefusal } from './refusal.ts';
import type { TokenCounts } from '../../core/ledger.ts';

/**
 * Returns the refusal for a fault, or `undefined` if there is no fault or the fault does not refuse the request.
 * `model` is the name that error texts contain.
 */
export function openAIRefusalOf(fault: Fault | undefined, model: string): OpenAIRefusal | undefined {
  switch (fault?.kind) {
    case 'rate-limited':
      return fault.retryAfter === undefined ? quotaExceeded() : rateLimited(model, fault.retryAfter);
    case 'overloaded':
      return refuseOpenAI(503, OVERLOADED, { type: 'service_unavailable_error', code: 'server_is_overloaded' });
    case 'server-error':
      return refuseOpenAI(500, SERVER_ERROR, { type: 'server_error' });
    case 'refused': {
      const { status = 400, message, type, code, param } = fault;
      return refuseOpenAI(status, message, { ...(type && { type }), code: code ?? null, param: param ?? null });
    }
    default:
      return undefined;
  }
}

/** Text of an error with status 500, in a response body and in a stream. */
export const SERVER_ERROR = 'The server had an error while processing your request. Sorry about that!';

const OVERLOADED = 'Our servers are currently overloaded. Please try again later.';

function rateLimited(model: string, seconds: number): OpenAIRefusal {
  const text = `Rate limit reached for ${model} in organization org-simulated on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in ${seconds}s. Visit https://platform.openai.com/account/rate-limits to learn more.`;
  return refuseOpenAI(429, text, {
    type: 'tokens',
    code: 'rate_limit_exceeded',
    headers: {
      'retry-after': String(Math.ceil(seconds)),
      'retry-after-ms': String(Math.round(seconds * 1000)),
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '7001',
      'x-ratelimit-reset-tokens': `${seconds}s`,
    },
  });
}

/** This refusal has no `retry-after` header, because waiting does not restore a quota. */
function quotaExceeded(): OpenAIRefusal {
  const text =
    'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.';
  return refuseOpenAI(429, text, { type: 'insufficient_quota', code: 'insufficient_quota' });
}

/**
 * Returns the counts in which the numbers of a `wrong-usage` fault replace the true ones. The fault uses Anthropic's
 * field names, but here its `input_tokens` means the whole input, cached tokens included.
 */
export function distortCounts(counts: TokenCounts, wrong: WrongUsage | undefined): TokenCounts {
  const input = wrong?.input_tokens ?? counts.input;
  const cached = wrong?.cache_read_input_tokens ?? counts.read;
  const written = wrong?.cache_creation_input_tokens ?? counts.writtenShort + counts.writtenLong;
  const output = wrong?.output_tokens ?? counts.output;
  return wrong === undefined
    ? counts
    : { ...counts, input, read: cached, writtenShort: written, writtenLong: 0, output };
}
