// What OpenAI says of a request that it compared with an earlier response (provider facts 2.2).

import type { Answer, Diagnosis } from '@tidemark/model';
import type { ResponseWireDiagnostics } from './events.ts';

const FOUND: ReadonlyMap<string, Diagnosis['found']> = new Map([
  ['cache_hit', 'hit'],
  ['comparison_response_not_found', 'unknown-response'],
  ['unavailable', 'unavailable'],
]);

/** Nothing where none was asked for, or none is offered; a word that is not known says nothing either. */
export function decodeDiagnosis(told: ResponseWireDiagnostics | null | undefined): Pick<Answer, 'diagnosis'> {
  const { type, reason, cache_missed_tokens: missed } = told ?? {};
  if (type !== 'cache_miss') {
    const found = FOUND.get(type ?? '');
    return found === undefined ? {} : { diagnosis: { found } };
  }
  const named = typeof reason === 'string' && { reason };
  return { diagnosis: { found: 'miss', ...named, ...(typeof missed === 'number' && { missed }) } };
}
