// The encoder of Chat Completions, revision 1. Its bytes are frozen once released: another way of writing is another
// revision beside it.

import type { Encoder } from '@tidemark/model';
import { joinBody, locateBlocks } from '@tidemark/provider-wire';
import { cacheRouting } from '../routing.ts';
import { completionsForm } from './form.ts';
import { lowerFront, lowerSpan } from './lower.ts';

/** Chat Completions, for servers that are compatible with OpenAI's. Pure, as every encoder. */
export const openaiChatEncoder: Encoder = {
  revision: 'openai-chat/1',
  appends: ['system'],
  lowerFront,
  lowerSpan,
  routing: cacheRouting,
  locate: (place, blocks) => locateBlocks(completionsForm, place, blocks),
  join: (front, newHash) => joinBody(completionsForm, front, newHash),
};
