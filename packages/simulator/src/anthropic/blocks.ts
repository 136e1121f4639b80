// Computes the digest and the token count of a block. The digest covers everything that the model sees. It does not
// include `cache_control`, so a moved marker does not change the prefix (provider-facts §1.1). It includes the key
// order of a call's `input`, because the model sees that order (§1.3).

import type { SentBlock } from './request.ts';
import { isPresent, isList, isObject, textOf, objectAt } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { digestOf } from '../core/digests.ts';
import type { Digests } from '../core/digests.ts';
import type { Capabilities } from '@tidemark/model';
import { imageTokens, countText } from '../core/tokens.ts';
import { isLevel } from './request.ts';
import type { RecordedSizes } from '../core/tokens.ts';

/** Returns the digest of the content of a block. Two blocks with the same digest look the same to the model. */
export function digestBlock(block: SentBlock, digests: Digests = anew): string {
  return digests(block.index, `${block.type}:${renderFields(block.type, block.fields)}`);
}

const anew: Digests = (_place, text) => digestOf(text);

/**
 * Returns the text from which the digest of a block is computed. The content of a tool result can be a plain string or
 * a list with one text part. Both give the same text.
 */
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

/**
 * Writes the length of a part before its text. Without the length, a text could look like the end of one part and the
 * start of the next.
 */
function framedPart(type: string, text: string): string {
  return `${type}:${text.length}:${text}`;
}

function renderRest(fields: WireObject): string {
  return JSON.stringify(fields, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}

// Estimates the tokens of blocks without a recorded size, because the simulator has no tokenizer. The tokens of a text
// are its UTF-8 bytes divided by four, rounded up. The tokens of an inline image follow the rule in the catalog row of
// the model.

type CountedImages = Capabilities['images'];

/**
 * Assumed number of tokens in two cases: an image whose data is not in the request, and a document that is not plain
 * text.
 */
const UNKNOWN_MEDIA = 1600;

/**
 * Returns the number of tokens of a block: the recorded size if there is one, else an estimate. The block for a
 * message's own `output_config` has 0 tokens.
 */
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
