// Checks each block without the other blocks (provider-facts §1.6): known types, text that is not blank, supported
// media, valid ids, and no marker on thinking.

import { invalid, firstRefusal } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isLevel, pathOf } from './request.ts';
import type { SentBlock, RequestRule } from './request.ts';
import { isPresent, isList, isObject, objectAt, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import type { Capabilities } from '@tidemark/model';
import { imageSize, imageType } from '../core/tokens.ts';

const CALL_ID = /^[a-zA-Z0-9_-]+$/;

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

const IMAGE_SOURCES: ReadonlySet<string> = new Set(['base64', 'url', 'file']);

type BlockCheck = (block: SentBlock) => MessageRefusal | undefined;

const CHECKS: { readonly [type: string]: BlockCheck } = {
  text: checkText,
  image: (block) => checkImage(block.fields, `${pathOf(block)}.image`),
  document: acceptAny,
  search_result: acceptAny,
  thinking: checkThinking,
  redacted_thinking: checkRedacted,
  tool_use: checkCall,
  tool_result: checkResult,
  server_tool_use: checkCall,
  mcp_tool_use: checkCall,
  compaction: acceptAny,
  container_upload: acceptAny,
  fallback: acceptAny,
  mcp_tool_listing: acceptAny,
  tool_addition: acceptAny,
  tool_removal: acceptAny,
};

/** Refuses the request at its first block that the real service would refuse. Tool definitions are not checked here. */
export const checkContent: RequestRule = (request) =>
  firstRefusal(request.blocks, (block) => (block.level === 'tools' ? undefined : checkBlock(block)));

function checkBlock(block: SentBlock): MessageRefusal | undefined {
  if (isLevel(block)) return undefined;
  const check = Object.hasOwn(CHECKS, block.type) ? CHECKS[block.type] : undefined;
  if (check !== undefined) return check(block) ?? checkSide(block);
  if (block.type.endsWith('_tool_result')) return undefined;
  return invalid(
    `${pathOf(block)}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: 'text', 'image', 'document', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'`,
  );
}

const ONLY_IN: ReadonlyMap<string, 'user' | 'assistant'> = new Map(
  Object.entries<'user' | 'assistant'>({
    tool_use: 'assistant',
    thinking: 'assistant',
    redacted_thinking: 'assistant',
    tool_result: 'user',
  }),
);

function checkSide(block: SentBlock): MessageRefusal | undefined {
  const side = ONLY_IN.get(block.type);
  if (side === undefined || side === block.role) return undefined;
  return invalid(`messages.${block.message}: \`${block.type}\` blocks can only be in \`${side}\` messages`);
}

function acceptAny(): undefined {
  return undefined;
}

function checkText(block: SentBlock): MessageRefusal | undefined {
  const { text } = block.fields;
  if (typeof text !== 'string') return invalid(`${pathOf(block)}.text.text: Input should be a valid string`);
  if (text.trim() === '' && block.marker !== undefined) {
    return invalid(`${pathOf(block)}.text: cache_control cannot be set for empty text blocks`);
  }
  return blank(text, block.level === 'system' ? 'system' : 'messages');
}

function blank(text: string, where: string): MessageRefusal | undefined {
  if (text === '') return invalid(`${where}: text content blocks must be non-empty`);
  return text.trim() === '' ? invalid(`${where}: text content blocks must contain non-whitespace text`) : undefined;
}

function checkImage(fields: WireObject, path: string): MessageRefusal | undefined {
  const source = objectAt(fields, 'source');
  const type = textOf(source['type']);
  if (!IMAGE_SOURCES.has(type))
    return invalid(
      `${path}.source: Input tag '${type}' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'`,
    );
  if (type !== 'base64') return checkAddress(source, `${path}.source.${type}`, type === 'url' ? 'url' : 'file_id');
  if (IMAGE_TYPES.has(textOf(source['media_type']))) return checkData(source['data'], `${path}.source.base64`);
  return invalid(
    `${path}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
  );
}

function checkAddress(source: WireObject, path: string, field: 'url' | 'file_id'): MessageRefusal | undefined {
  if (!isPresent(source[field])) return invalid(`${path}.${field}: Field required`);
  return typeof source[field] === 'string' ? undefined : invalid(`${path}.${field}: Input should be a valid string`);
}

/** Refuses characters that do not exist in any form of base64. */
function checkData(data: unknown, path: string): MessageRefusal | undefined {
  if (typeof data !== 'string') return invalid(`${path}.data: Field required`);
  return /[^A-Za-z0-9+/=\s_-]/.test(data) ? invalid(`${path}: invalid base64 data`) : undefined;
}

function checkThinking(block: SentBlock): MessageRefusal | undefined {
  const path = `${pathOf(block)}.thinking`;
  if (block.marker !== undefined) return invalid(`${path}.cache_control: Extra inputs are not permitted`);
  if (typeof block.fields['thinking'] !== 'string') return invalid(`${path}.thinking: Field required`);
  return typeof block.fields['signature'] === 'string' ? undefined : invalid(`${path}.signature: Field required`);
}

function checkRedacted(block: SentBlock): MessageRefusal | undefined {
  const path = `${pathOf(block)}.redacted_thinking`;
  if (block.marker !== undefined) return invalid(`${path}.cache_control: Extra inputs are not permitted`);
  return typeof block.fields['data'] === 'string' ? undefined : invalid(`${path}.data: Field required`);
}

function checkCall(block: SentBlock): MessageRefusal | undefined {
  const { id, name, input } = block.fields;
  const path = `${pathOf(block)}.${block.type}`;
  if (typeof id !== 'string') return invalid(`${path}.id: Field required`);
  if (!CALL_ID.test(id)) return invalid(`${path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof name !== 'string') return invalid(`${path}.name: Field required`);
  if (name === '' || name.length > 200) return invalid(`${path}.name: String should have between 1 and 200 characters`);
  return isObject(input) ? undefined : invalid(`${path}.input: Input should be a valid dictionary`);
}

function checkResult(block: SentBlock): MessageRefusal | undefined {
  const { tool_use_id: id, content } = block.fields;
  const path = `${pathOf(block)}.tool_result`;
  if (typeof id !== 'string') return invalid(`${path}.tool_use_id: Field required`);
  if (!CALL_ID.test(id)) return invalid(`${path}.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (!isPresent(content) || typeof content === 'string') return undefined;
  if (!isList(content)) return invalid(`${path}.content: Input should be a valid list`);
  return firstRefusal(content.entries(), ([i, part]) => checkResultPart(part, `${path}.content.${i}`));
}

function checkResultPart(part: unknown, path: string): MessageRefusal | undefined {
  if (!isObject(part)) return invalid(`${path}: Input should be a valid dictionary`);
  if (part['type'] === 'text') return blank(textOf(part['text']), 'messages');
  return part['type'] === 'image' ? checkImage(part, `${path}.image`) : undefined;
}

// Limits on images: the number of images and documents in a request, and the size of each image. The first bytes of the
// image show its media type and its pixel size. If one of these two values is missing there, the check of that value
// accepts the image.

interface Picture {
  readonly path: string;
  readonly source: WireObject;
}

/**
 * If a request has more images than this number, each side of an image may have at most 2,000 pixels instead of 8,000.
 */
const MANY = 20;

/**
 * Refuses a request with too many images and documents. Also refuses the first image that is too large, has no pixels,
 * or does not have its declared type. The error texts are quoted in anthropics/claude-code#5147 and #52220. The limits
 * are from docs.anthropic.com/en/docs/vision, "Basics and limits".
 */
export const checkImages: RequestRule = ({ blocks, capabilities }) => {
  const pictures = blocks.flatMap(picturesIn);
  const many = pictures.length > MANY;
  return (
    checkNumber(pictures.length, countDocuments(blocks), capabilities) ??
    firstRefusal(pictures, (picture) => checkWeight(picture) ?? checkType(picture) ?? checkSize(picture, many))
  );
};

/**
 * Refuses too many images and documents (platform.claude.com, vision, "General limits"). The limit is 100 on a model
 * with a window of up to 200,000 tokens, and 600 on a model with a larger window. The service counts images and
 * documents together (anthropics/claude-code#23392: `104 + 1 > 100`).
 */
function checkNumber(pictures: number, documents: number, { window }: Capabilities): MessageRefusal | undefined {
  const most = window.tokens > 200_000 ? 600 : 100;
  if (pictures + documents <= most) return undefined;
  return invalid(`too many images and documents: ${pictures} + ${documents} > ${most}`);
}

function countDocuments(blocks: readonly SentBlock[]): number {
  return blocks.reduce((sum, block) => sum + documentsIn(block), 0);
}

function documentsIn(block: SentBlock): number {
  if (block.level === 'tools' || isLevel(block)) return 0;
  if (block.type === 'document') return 1;
  const { content } = block.fields;
  if (block.type !== 'tool_result' || !isList(content)) return 0;
  return content.filter((part) => isObject(part) && part['type'] === 'document').length;
}

/** Maximum length of the base64 text of an image, in bytes: 10 MB on this API. The cloud platforms allow 5 MB. */
const HEAVIEST = 10 * 1024 * 1024;

function checkWeight({ path, source }: Picture): MessageRefusal | undefined {
  const { length } = textOf(source['data']);
  if (source['type'] !== 'base64' || length <= HEAVIEST) return undefined;
  return invalid(`${path}.image.source.base64: image exceeds 10 MB maximum: ${length} bytes > ${HEAVIEST} bytes`);
}

function checkType({ path, source }: Picture): MessageRefusal | undefined {
  const declared = textOf(source['media_type']);
  const is = source['type'] === 'base64' ? imageType(textOf(source['data'])) : undefined;
  if (is === undefined || is === declared) return undefined;
  return invalid(
    `${path}.image.source.base64: The image was specified using the ${declared} media type, but the image appears to be a ${is} image`,
  );
}

function picturesIn(block: SentBlock): readonly Picture[] {
  if (block.level === 'tools' || isLevel(block)) return [];
  const path = pathOf(block);
  if (block.type === 'image') return [{ path, source: objectAt(block.fields, 'source') }];
  const { content } = block.fields;
  if (block.type !== 'tool_result' || !isList(content)) return [];
  return content.flatMap((part, index) =>
    isObject(part) && part['type'] === 'image'
      ? [{ path: `${path}.tool_result.content.${index}`, source: objectAt(part, 'source') }]
      : [],
  );
}

function checkSize({ path, source }: Picture, many: boolean): MessageRefusal | undefined {
  const size = source['type'] === 'base64' ? imageSize(textOf(source['data'])) : undefined;
  if (size === undefined) return undefined;
  if (Math.min(size.width, size.height) === 0) return invalid('Could not process image');
  const [most, where] = many ? [2000, ' for many-image requests'] : [8000, ''];
  if (Math.max(size.width, size.height) <= most) return undefined;
  return invalid(
    `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${where}: ${most} pixels`,
  );
}
