// The encoder, revision 1. Its bytes are frozen once released: another way of writing is another revision beside it.

import type { Encoder } from '@tidemark/model';
import { joinBody, locateBlocks } from '@tidemark/provider-wire';
import { routerForm } from './form.ts';
import { lowerFront, lowerSpan } from './lower.ts';

/** OpenRouter's Chat Completions. Pure: the same spans, markers and envelope give the same bytes on every machine. */
export const openrouterEncoder: Encoder = {
  revision: 'openrouter-chat/1',
  appends: [],
  lowerFront,
  lowerSpan,
  locate: (place, blocks) => locateBlocks(routerForm, place, blocks),
  join: (front, newHash) => joinBody(routerForm, front, newHash),
  // A conversation stays with the upstream that its session was sent to (provider facts 3.2).
  routing: (cacheKey) => ({ session_id: cacheKey }),
};
