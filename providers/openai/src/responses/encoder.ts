// The encoder of the Responses API, revision 1. Its bytes are frozen once released: another way of writing is another
// revision beside it.

import type { Capabilities, Encoder, Envelope } from '@tidemark/model';
import { joinBody, locateBlocks } from '@tidemark/provider-wire';
import { cacheRouting } from '../routing.ts';
import { echoes } from './echo.ts';
import { responsesForm } from './form.ts';
import { lowerFront, lowerSpan } from './lower.ts';

/** OpenAI Responses, stateless. Pure: the same spans and envelope give the same bytes on every machine. */
export const openaiResponsesEncoder: Encoder = {
  revision: 'openai-responses/1',
  appends: ['system', 'reasoning', 'tool-additions'],
  lowerFront,
  lowerSpan,
  routing: cacheRouting,
  comparing,
  echoes,
  locate: (place, blocks) => locateBlocks(responsesForm, place, blocks),
  join: (front, newHash) => joinBody(responsesForm, front, newHash),
};

/** Responses are remembered unasked. */
function comparing(previous: string | undefined, { diagnoses }: Capabilities): Envelope['fields'] {
  if (diagnoses !== true || previous === undefined) return {};
  return { prompt_cache_options: { comparison_response_id: previous } };
}
