// Digest and size of a block. What of a block enters the prefix: everything the model is shown, nothing else. `cache_control` never does, so that
// markers can move (§1.1). The key order of a call's `input` does, as it is shown (§1.3).

import type { SentBlock } from './request.ts';
import { isPresent, isList, isObject, textOf, objectAt } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { digestOf } from '../core/digests.ts';
import type { Digests } from '../core/digests.ts';
import type { Capabilities } from '@tidemark/model';
import { imageTokens, countText } from '../core/tokens.ts';
import { isLevel } from './request.ts';
import type { RecordedSizes } from '../core/tokens.ts';

/** The digest of one block's content. Two blocks with one digest are the same to the model. */
export function digestBlock(block: SentBlock, digests: Digests = anew): string {
  return digests(block.index, `${block.type}:${renderFields(block.type, block.fields)}`);
}

const anew: Digests = (_place, text) => digestOf(text);

/** The text of a block's content, as it is digested. A string and a list of one text are the same. */
function renderFields(type: string, fields: WireObject): string {
  switch (type) {
    case 'text':
      return !isPresent(fields['citations']) ? textOf(fields['text']) : renderRest(fields);
    case 'tool_result':
      return `${textOf(fields['tool_use_id'])}:${fields['is_error'] === true}:${renderContent(fields['content'])}`;
    case 'tool_use':
      return JSON.stringify([fields['id'], fields['name'], fields['input']]);
    default:
      return renderRest(fields);
  }
}

function renderContent(content: unknown): string {
  if (typeof content === 'string') return framedPart('text', content);
  if (!isList(content)) return '';
  return content.map((item) => (isObject(item) ? renderPart(item) : '')).join('');
}

function renderPart(fields: WireObject): string {
  const type = textOf(fields['type']);
  return framedPart(type, renderFields(type, fields));
}

/** With its length in front, so that no text can look like the end of one part and the start of the next. */
function framedPart(type: string, text: string): string {
  return `${type}:${text.length}:${text}`;
}

function renderRest(fields: WireObject): string {
  return JSON.stringify(fields, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}

// The simulator's own count of tokens, for blocks without a recorded size: bytes of UTF-8 divided by four, images by the
// model's rule. It is no tokenizer. A driver that knows recorded sizes gives those.

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
