// Encodes each part of a span as a content block of the Messages API: calls and results, images, reasoning, native
// items, changes and tools.

import { isJsonObject, parseObject } from '@tidemark/core';
import type {
  AddedTool,
  CallPart,
  Capabilities,
  ChangePart,
  FrontToolDefinition,
  ImagePart,
  Lowering,
  NativePart,
  BoundReasoningPart,
  ResultPart,
} from '@tidemark/model';
import { imageTokens, isBlank } from '@tidemark/model';
import type { BlockPiece } from '@tidemark/provider-wire';
import {
  fittingName,
  imageStub,
  isOwnReasoning,
  jsonString,
  piece,
  readImage,
  refuse,
  textHead,
  toolMembers,
} from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';

/** Start of a `tool_use` block. The id follows, ended by a quote. */
export const CALL_PREFIX = '{"type":"tool_use","id":"';

/** Start of a `tool_result` block. The id follows, ended by a quote. */
export const RESULT_PREFIX = '{"type":"tool_result","tool_use_id":"';

/** Returns a block that takes a marker before its closing brace. */
function markablePiece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '}', markable: true, run: RUNS[holds], holds, tokens, mediaBytes };
}

// In the lookback, consecutive calls count as one position, and so do consecutive results. Other blocks do not
// (provider-facts §1.1).
const RUNS: { readonly [holds in BlockPiece['holds']]: BlockPiece['run'] } = {
  tool: 'none',
  text: 'none',
  image: 'none',
  thinking: 'none',
  call: 'calls',
  result: 'results',
  native: 'none',
  change: 'none',
};

/** Returns a text block, or `undefined` for blank text. */
export function textPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : markablePiece(textHead(text), 'text', lowering.estimate(text));
}

/**
 * Returns the id of a call and of its result in the form that the API accepts (`^[a-zA-Z0-9_-]+$`). If an id already
 * has this form, it does not change.
 */
export function wireId(id: string): string {
  return fittingName(id, /^[a-zA-Z0-9_-]+$/, READABLE);
}

/**
 * Returns the name of a called tool in the form that the API accepts (`^[a-zA-Z0-9_-]{1,128}$`). If a name already has
 * this form, it does not change.
 */
export function wireName(name: string): string {
  return fittingName(name, NAME, READABLE);
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const READABLE = 64;

/** Returns a `tool_use` block with the fields `type, id, name, input`. */
export function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const input = wireInput(part.arguments);
  const head = `${CALL_PREFIX}${wireId(part.call)}","name":"${wireName(part.name)}","input":${input}`;
  return markablePiece(head, 'call', lowering.estimate(part.name) + lowering.estimate(input));
}

/**
 * Returns the `input` of a call. If the arguments are a JSON object, they stay as they were streamed. Blank arguments
 * become `{}`. The API accepts no other text as `input`, for example cut arguments. Such a text is sent as
 * `{"raw":"…"}`. So the call still has a valid block, and the result still has its call.
 */
function wireInput(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? wellFormedJson(raw) : `{"raw":${jsonString(raw)}}`;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;

/** Replaces lone surrogates in a JSON text. Every other byte stays the same. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!SURROGATE_ESCAPE.test(whole)) return whole;
  return whole.replace(ESCAPES, (escape) => (escape.length === 6 ? '\\ufffd' : escape));
}

/** Returns a `tool_result` block with the fields `type, tool_use_id, is_error` (only when true) and `content`. */
export function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const contents = resultContents(part, lowering);
  const content = contents.map(({ head }) => `${head}}`).join(',');
  const head = `${RESULT_PREFIX}${wireId(part.call)}",${part.error ? '"is_error":true,' : ''}"content":[${content}]`;
  const total = (field: 'tokens' | 'mediaBytes'): number => contents.reduce((sum, one) => sum + one[field], 0);
  return markablePiece(head, 'result', total('tokens'), total('mediaBytes'));
}

/**
 * Text for a result without any text. The API refuses an empty error, and models think that an empty result is a
 * failure.
 */
const NO_OUTPUT = '(no output)';

type MessageContent = Pick<BlockPiece, 'head' | 'holds' | 'tokens' | 'mediaBytes'>;

function resultContents(part: ResultPart, lowering: Lowering): readonly MessageContent[] {
  const contents: MessageContent[] = [];
  for (const one of part.content) {
    // The API returns 400 for an image in a failed result: "all content must be type "text" if "is_error" is true".
    if (one.type === 'image')
      contents.push(imageContent(one, part.error ? 'a failed result takes text only' : undefined, lowering));
    else if (!isBlank(one.text)) contents.push(textContent(one.text, lowering));
  }
  return contents.length === 0 ? [textContent(NO_OUTPUT, lowering)] : contents;
}

function textContent(text: string, { estimate }: Lowering): MessageContent {
  return { head: textHead(text), holds: 'text', tokens: estimate(text), mediaBytes: 0 };
}

const PIXELS_PER_TOKEN = 750;
const TOKENS_AT_MOST = 4_784;
const TOKENS_UNKNOWN_SIZE = 1_600;

function imageContent(image: ImagePart, reason: string | undefined, lowering: Lowering): MessageContent {
  const read = reason === undefined ? readImage(ANTHROPIC, image, lowering) : imageStub(image, reason);
  if (read.kind === 'stub') return textContent(read.text, lowering);
  const { mediaType, data, mediaBytes } = read;
  const head = `{"type":"image","source":{"type":"base64","media_type":"${mediaType}","data":"${data}"}`;
  return { head, holds: 'image', tokens: tokensOf(image, lowering.capabilities), mediaBytes };
}

// Uses the image rule in the catalog row of the model. If the row has no rule, it uses Anthropic's older rule: 750
// pixels per token. Anthropic published this rule before the rule of patches.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_UNKNOWN_SIZE;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}

/**
 * Returns an image block with base64 data, or a text block that replaces the image. If `reason` is set, this place
 * allows no image. Then the text contains the reason.
 */
export function imagePiece(image: ImagePart, reason: string | undefined, lowering: Lowering): BlockPiece {
  const { head, holds, tokens, mediaBytes } = imageContent(image, reason, lowering);
  return markablePiece(head, holds, tokens, mediaBytes);
}

/**
 * Returns the thinking block as it was received. The API refuses a signature of another provider or model with a 400.
 * So for such a block, and for a block without a signature, the result is `undefined`.
 */
export function reasoningPiece(part: BoundReasoningPart, lowering: Lowering): BlockPiece | undefined {
  if (part.opaque === undefined || !isOwnReasoning(ANTHROPIC, part, lowering) || !isSigned(part.opaque))
    return undefined;
  return piece(part.opaque, 'thinking', lowering.estimate(part.text === '' ? part.opaque : part.text));
}

function isSigned(opaque: string): boolean {
  const item = parseObject(opaque);
  const seal =
    item?.['type'] === 'thinking' ? item['signature'] : item?.['type'] === 'redacted_thinking' ? item['data'] : '';
  return typeof seal === 'string' && seal !== '';
}

/** Returns the item as it was received, or its plain twin as text if the item belongs to another provider. */
export function nativePiece(part: NativePart, lowering: Lowering): BlockPiece | undefined {
  if (part.provider !== ANTHROPIC.name || !isJsonObject(part.item)) return textPiece(part.text, lowering);
  return piece(part.item, 'native', lowering.estimate(part.item));
}

/** Beta header that a change of tools needs. It allows a change to name a declared tool and to define a new one. */
const TOOLS_BETA = 'inline-tools-2026-09-15';
const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01';

/** Start of a message that sets the effort. The message has no content blocks and adds no text to the prompt. */
export const LEVEL_PREFIX = '{"role":"system","content":[],"output_config":{"effort":';

/**
 * Returns the blocks of a change, as system messages inside the history. Sources: docs,
 * build-with-claude/mid-conversation-system-messages and build-with-claude/effort-per-message.
 *
 * A change of tools has a block for each removed tool, then a block for each added tool. If a new definition has the
 * name of an existing tool, the API replaces the tool. A change of reasoning is one whole message that sets the effort.
 * A change of role is the text of the new role.
 *
 * @throws ProviderError `provider/invalid` when a definition is not among the materials.
 */
export function changePieces(part: ChangePart, lowering: Lowering): readonly BlockPiece[] {
  if (part.change === 'reasoning') {
    return [{ ...piece(`${LEVEL_PREFIX}${jsonString(part.setting)}}}`, 'change', 0), betas: [EFFORT_BETA] }];
  }
  // In the API documentation, a system message has a marker only if it changes tools. So the text of a role gets no
  // marker.
  if (part.change === 'role')
    return [{ ...markablePiece(textHead(part.text), 'change', lowering.estimate(part.text)), markable: false }];
  const removed = part.removed.map((name) => toolChange('tool_removal', reference(name), lowering.estimate(name)));
  return [...removed, ...part.added.map((tool) => addition(tool, lowering))];
}

function addition(tool: AddedTool, lowering: Lowering): BlockPiece {
  const { name } = tool;
  if (tool.known === true) return toolChange('tool_addition', reference(name), lowering.estimate(name));
  const bytes = lowering.materials(tool.definition);
  if (bytes === undefined) throw missingDefinition(tool);
  const definition = new TextDecoder().decode(bytes);
  const wire = `{"type":"tool_definition","definition":${toolHead({ name, definition })}}}`;
  return toolChange('tool_addition', wire, lowering.estimate(definition));
}

function reference(name: string): string {
  return `{"type":"tool_reference","name":"${wireName(name)}"}`;
}

function toolChange(type: 'tool_addition' | 'tool_removal', tool: string, tokens: number): BlockPiece {
  return { ...markablePiece(`{"type":"${type}","tool":${tool}`, 'change', tokens), betas: [TOOLS_BETA] };
}

function missingDefinition({ name, definition }: AddedTool): Error {
  return refuse(
    ANTHROPIC,
    'provider/invalid',
    `the definition ${definition} of the tool "${name}" is not among the materials: load it before the span is lowered`,
  );
}

/**
 * Returns a tool as an entry of `tools`.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function toolPiece(tool: FrontToolDefinition, lowering: Lowering): BlockPiece {
  return markablePiece(toolHead(tool), 'tool', lowering.estimate(tool.definition));
}

/** Returns a tool as JSON text without the closing brace: `name`, `description` and `input_schema`. */
function toolHead(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return `{${toolMembers(ANTHROPIC, tool, {
    schema: 'input_schema',
    isName: (name) => NAME.test(name),
    longestName: 128,
  })}`;
}
