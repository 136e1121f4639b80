// This simulator's own count of tokens, for blocks whose size nobody gave: bytes of UTF-8 by four, images by the model's rule.
// It is no tokenizer and does not claim to be one; a driver that knows recorded sizes gives those.

import type { Capabilities } from '@tidemark/model';
import { imageTokens, countText } from '../core/tokens.ts';
import { isLevel } from './request.ts';
import type { SentBlock } from './request.ts';
import { isList, isObject, objectAt, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import type { RecordedSizes } from '../core/tokens.ts';

type CountedImages = Capabilities['images'];

/** An image that is elsewhere, or a document. */
const UNKNOWN_MEDIA = 1600;

/** Tokens of a block: the recorded size, or at least one by the own rule. */
export function countBlock(block: SentBlock, sizes: RecordedSizes | undefined, images: CountedImages): number {
  return sizes?.(block.index) ?? (isLevel(block) ? 0 : countFields(block.type, block.fields, images));
}

function countFields(type: string, fields: WireObject, images: CountedImages): number {
  switch (type) {
    case 'text':
      return countText(textOf(fields['text']));
    case 'thinking':
      return countText(textOf(fields['thinking'])) || countText(textOf(fields['signature']));
    case 'tool_use':
      return countText(`${textOf(fields['name'])}${JSON.stringify(fields['input'])}`);
    case 'tool_result':
      return countContent(fields['content'], images);
    case 'image':
      return countImage(fields, images);
    case 'document':
      return countDocument(fields);
    default:
      return countRest(fields);
  }
}

function countContent(content: unknown, images: CountedImages): number {
  if (typeof content === 'string') return Math.max(1, countText(content));
  if (!isList(content)) return 1;
  const parts = content.map((part) => (isObject(part) ? countFields(textOf(part['type']), part, images) : 0));
  return Math.max(
    1,
    parts.reduce((sum, tokens) => sum + tokens, 0),
  );
}

function countImage(fields: WireObject, images: CountedImages): number {
  const source = objectAt(fields, 'source');
  return source['type'] === 'base64' ? imageTokens(textOf(source['data']), images) : UNKNOWN_MEDIA;
}

function countDocument(fields: WireObject): number {
  const source = objectAt(fields, 'source');
  return source['type'] === 'text' ? countText(textOf(source['data'])) : UNKNOWN_MEDIA;
}

function countRest(fields: WireObject): number {
  return countText(JSON.stringify(fields, (key, value: unknown) => (key === 'cache_control' ? undefined : value)));
}
