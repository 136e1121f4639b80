// Failures that a provider answers with, sorted by what to do next. Which code a failure has is each provider's own to
// say; what the code means is the same for all.

import type { ProviderErrorClass, ProviderErrorCode, ProviderErrorData } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { readableWords, shortened } from './readable-words.ts';
import { boundedWait } from './retry-after.ts';
import type { Service } from './service.ts';

/** What an answered call can fail of. What else has a code never came to an answer: see `broken-call.ts`. */
export type FailureCode = Exclude<
  ProviderErrorCode,
  | 'provider/connection'
  | 'provider/cut'
  | 'provider/silent'
  | 'provider/malformed'
  | 'provider/aborted'
  | 'provider/address'
  | 'provider/oversized'
>;

type Next = readonly [ProviderErrorClass, step: string];

const NEXT: { readonly [code in FailureCode]: Next } = {
  'provider/rate-limited': ['retryable', 'send it again later'],
  'provider/overloaded': ['retryable', 'send it again later'],
  'provider/server': ['retryable', 'send it again'],
  'provider/timeout': ['retryable', 'send it again'],
  'provider/too-long': ['compaction', 'compact and send it again'],
  'provider/too-large': ['compaction', 'compact, images first, and send it again'],
  'provider/unclosed-history': ['refused', 'close or repair the open calls'],
  'provider/unsupported': ['refused', 'choose a model or a setting that fits'],
  'provider/invalid': ['refused', 'look at the request with `tidemark show`'],
  'provider/not-found': ['refused', 'check the name of the model and the address'],
  'provider/authentication': ['stop', 'check the API key'],
  'provider/billing': ['stop', 'check the credit of the account'],
  'provider/permission': ['stop', 'check what the API key may do'],
};

/** What a status says where nothing more telling came, whoever answers (provider facts 1.6, 2.5). */
export const CODE_OF_STATUS: ReadonlyMap<number, FailureCode> = new Map([
  [401, 'provider/authentication'],
  [402, 'provider/billing'],
  [403, 'provider/permission'],
  [404, 'provider/not-found'],
  [408, 'provider/timeout'],
  [409, 'provider/server'],
  [413, 'provider/too-large'],
  [429, 'provider/rate-limited'],
  [504, 'provider/timeout'],
]);

/** Most characters of a type and of a request's id: a server may send any. */
const MOST_NAME = 200;

/** The error to throw for a failed call, its words shortened. Of what is known, a wait stays with what may be sent again, a place with a refusal. */
export function failedCall(
  service: Service,
  code: FailureCode,
  message: string,
  known: Omit<ProviderErrorData, 'provider'>,
): ProviderError {
  const [next, step] = NEXT[code];
  const { afterMs, refused, type, request, ...rest } = known;
  const named = {
    ...(type !== undefined && { type: shortened(type, MOST_NAME) }),
    ...(request !== undefined && { request: shortened(request, MOST_NAME) }),
  };
  const word = [known.status, named.type].filter((one) => one !== undefined).join(' ');
  const said = `${service.title} did not answer the request${word === '' ? '' : ` (${word})`}: ${readableWords(message)}. Next: ${step}`;
  return new ProviderError(next, code, said, {
    provider: service.name,
    ...rest,
    ...named,
    ...(afterMs !== undefined && next === 'retryable' && { afterMs: boundedWait(afterMs) }),
    ...(refused !== undefined && next === 'refused' && { refused }),
  });
}
