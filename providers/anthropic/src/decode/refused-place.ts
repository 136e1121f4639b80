// Which block of a request a refusal is about (provider facts 1.6): a path into the messages, and words for what stands there.

import type { RefusedPlace } from '@tidemark/model';

const PATH = /\bmessages\.(\d+)(?:\.content\.(\d+))?(?:\.tool_result\.content\.(\d+))?/;

/** Where blocks are and who speaks is this project's doing: nothing that a block says would help. */
const NOT_OF_A_BLOCK = /cache_control|role 'system'|output_config|clear_at|prefill/;

const WORDS: readonly (readonly [NonNullable<RefusedPlace['holds']>, RegExp])[] = [
  ['thinking', /`(redacted_)?thinking`|thinking blocks?\b/i],
  ['call', /`tool_(use|result)`/],
  ['image', /\bimages?\b/i],
];

/** What a refusal names; `undefined` where it is about no single block. */
export function refusedPlace(said: string): RefusedPlace | undefined {
  if (NOT_OF_A_BLOCK.test(said)) return undefined;
  const [, message, content, inner] = PATH.exec(said) ?? [];
  const holds = WORDS.find(([, words]) => words.test(said))?.[0];
  // A whole message is refused for its calls alone.
  const pointed = message !== undefined && (content !== undefined || holds === 'call');
  if (!pointed && (holds === undefined || holds === 'call')) return undefined;
  return {
    ...(holds !== undefined && { holds }),
    ...(pointed && { message: Number(message) }),
    ...(content !== undefined && { content: Number(content) }),
    ...(inner !== undefined && { inner: Number(inner) }),
  };
}
