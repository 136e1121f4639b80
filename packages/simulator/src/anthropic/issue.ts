// Binding the thinking of an answer to the conversation it is given in (§1.8): each block to everything before it.

import { contentOf } from '../core/answer.ts';
import type { AnswerBlock } from '../core/answer.ts';
import type { JudgedRequest } from './judge.ts';
import { extend } from './prefix.ts';
import { digestBlock } from './render.ts';
import { isThinking } from './request.ts';
import type { SentBlock } from './request.ts';
import type { Signatures } from './signatures.ts';
import { sealOf } from './thinking.ts';

/** Registers the thinking of an answer as issued. */
export function issueThinking(signatures: Signatures, judged: JudgedRequest, blocks: readonly AnswerBlock[]): void {
  let place = judged.thinking.end;
  for (const answered of blocks) {
    const block = asSentBack(answered);
    if (isThinking(block)) {
      const sealed = sealOf(block.fields);
      const { key } = signatures.issue(sealed, place, judged.account, judged.request.capabilities.model);
      place = { ...place, before: key };
    } else {
      place = { ...place, prefix: extend(place.prefix, block, digestBlock(block)) };
    }
  }
}

/** The block as a client will send it back. Its numbers play no part in a binding. */
function asSentBack(block: AnswerBlock): SentBlock {
  const fields = contentOf(block);
  return {
    index: -1,
    level: 'messages',
    role: 'assistant',
    message: -1,
    content: -1,
    type: block.type,
    fields,
    marker: undefined,
  };
}
