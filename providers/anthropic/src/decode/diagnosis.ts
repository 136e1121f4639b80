// What Anthropic says of a request that it compared with an earlier one (provider facts 1.4).

import type { Answer } from '@tidemark/model';
import type { MessageWireDiagnostics } from './events.ts';

/** Nothing where the field is left out; `same` also where no comparison was asked for, as the wire has one word for both. */
export function decodeDiagnosis(told: MessageWireDiagnostics | null | undefined): Pick<Answer, 'diagnosis'> {
  if (told === undefined) return {};
  if (told === null) return { diagnosis: { found: 'same' } };
  const { type: reason, cache_missed_input_tokens: missed } = told.cache_miss_reason ?? {};
  switch (reason) {
    case undefined:
    case null:
      return { diagnosis: { found: 'pending' } };
    case 'previous_message_not_found':
      return { diagnosis: { found: 'unknown-response' } };
    case 'unavailable':
      return { diagnosis: { found: 'unavailable' } };
    default:
      return { diagnosis: { found: 'miss', reason, ...(typeof missed === 'number' && { missed }) } };
  }
}
