// The encoder, revision 1. Its bytes are frozen once released: another way of writing is another revision beside it.

import type { Capabilities, Encoder, Envelope } from '@tidemark/model';
import { joinBody, locateBlocks } from '@tidemark/provider-wire';
import { leastOutput } from './least-output.ts';
import { lowerFront } from './lower-front.ts';
import { lowerSpan } from './lower-span.ts';
import { messagesForm } from './punctuation.ts';

/** Anthropic Messages. Pure: the same spans, markers and envelope give the same bytes on every machine. */
export const anthropicEncoder: Encoder = {
  revision: 'anthropic-messages/1',
  lowerFront,
  lowerSpan,
  comparing,
  leastOutput,
  locate: (place, blocks) => locateBlocks(messagesForm, place, blocks),
  join: (front, newHash) => joinBody(messagesForm, front, newHash),
};

/** The first request asks too: only what did is remembered. */
function comparing(previous: string | undefined, { diagnoses }: Capabilities): Envelope['fields'] {
  return diagnoses === true ? { diagnostics: { previous_message_id: previous ?? null } } : {};
}
