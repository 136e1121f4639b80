// Whether a block sends back what came, byte for byte: then the answer as the service holds it and the answer as it is packed
// are one, and a request may go on from it by its id.

import type { AnswerPart, Block } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { wireId, wireName } from '../encode/wire-names.ts';
import { OPENAI } from '../service.ts';
import { callItem, messageItem } from './items.ts';

/** See the head of this file. */
export function echoes(part: AnswerPart, { head }: Block): boolean {
  switch (part.type) {
    case 'text':
      return head === messageItem(part);
    case 'reasoning':
      return head === part.opaque;
    case 'call': {
      const { call, name } = part;
      return wireId(call) === call && wireName(name) === name && !isBlank(part.arguments) && head === callItem(part);
    }
    case 'native':
      return part.provider === OPENAI.name && head === part.item;
  }
}
