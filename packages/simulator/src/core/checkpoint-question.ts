// The question by which Tidemark asks a model for a checkpoint. A script that is written for the conversation has no answer
// to it, and must not lose one.

import type { ReceivedRequest } from './sent.ts';

/** How the question begins, word for word, in `compaction-contract.ts` of `@tidemark/context`. */
const BEGINNING = 'Older history of this session is about to be replaced by a checkpoint.';

/** The question in the last words of the user, from its beginning; `undefined` where they ask for no checkpoint. */
export function checkpointQuestion({ lastUserText }: Pick<ReceivedRequest, 'lastUserText'>): string | undefined {
  const at = lastUserText.indexOf(BEGINNING);
  return at === -1 ? undefined : lastUserText.slice(at);
}
