// Each part of a span as a content block of the Messages API: calls and results, images, reasoning, native items, changes, tools.

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

/** Start of a `tool_use`. The id follows, and a quote ends it. */
export const CALL_PREFIX = '{"type":"tool_use","id":"';

/** Start of a `tool_result`. The id follows, and a quote ends it. */
export const RESULT_PREFIX = '{"type":"tool_result","tool_use_id":"';

/** A block that takes a marker before its closing brace. */
function markablePiece(head: string, holds: BlockPiece['holds'], tokens: number, mediaBytes = 0): BlockPiece {
  return { head, tail: '}', markable: true, run: RUNS[holds], holds, tokens, mediaBytes };
}

// Provider facts 1.1: only runs of calls and of results are one position.
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

/** A text block. None for blank text. */
export function textPiece(text: string, lowering: Lowering): BlockPiece | undefined {
  return isBlank(text) ? undefined : markablePiece(textHead(text), 'text', lowering.estimate(text));
}

/** The id of a call and of its result (`^[a-zA-Z0-9_-]+$`). */
export function wireId(id: string): string {
  return fittingName(id, /^[a-zA-Z0-9_-]+$/, READABLE);
}

/** The name of a called tool (`^[a-zA-Z0-9_-]{1,128}$`). */
export function wireName(name: string): string {
  return fittingName(name, NAME, READABLE);
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const READABLE = 64;

/** A `tool_use` block: `type, id, name, input`. */
export function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const input = wireInput(part.arguments);
  const head = `${CALL_PREFIX}${wireId(part.call)}","name":"${wireName(part.name)}","input":${input}`;
  return markablePiece(head, 'call', lowering.estimate(part.name) + lowering.estimate(input));
}

/**
 * The arguments as they were streamed when they are a JSON object; no arguments as `{}`. Any other text, such as arguments that
 * were cut, cannot stand as `input`: it is kept as `{"raw":"…"}`, so that the call and its closing stay a pair.
 */
function wireInput(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? wellFormedJson(raw) : `{"raw":${jsonString(raw)}}`;
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./gs;

/** JSON text with lone surrogates replaced, every other byte as it was. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!SURROGATE_ESCAPE.test(whole)) return whole;
  return whole.replace(ESCAPES, (escape) => (escape.length === 6 ? '\\ufffd' : escape));
}

/** A `tool_result` block: `type, tool_use_id, is_error` (only when true), `content`. */
export function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const contents = resultContents(part, lowering);
  const content = contents.map(({ head }) => `${head}}`).join(',');
  const head = `${RESULT_PREFIX}${wireId(part.call)}",${part.error ? '"is_error":true,' : ''}"content":[${content}]`;
  const total = (field: 'tokens' | 'mediaBytes'): number => contents.reduce((sum, one) => sum + one[field], 0);
  return markablePiece(head, 'result', total('tokens'), total('mediaBytes'));
}

/** For a result that holds no text: the API refuses an empty error, and models take an empty result for a fault. */
const NO_OUTPUT = '(no output)';

/** A content block without its closing brace, and what it weighs. */
type MessageContent = Pick<BlockPiece, 'head' | 'holds' | 'tokens' | 'mediaBytes'>;

function resultContents(part: ResultPart, lowering: Lowering): readonly MessageContent[] {
  const contents: MessageContent[] = [];
  for (const one of part.content) {
    // "all content must be type "text" if "is_error" is true" is a 400.
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

// By the rule of the model's row; without one as the vendor counted before it told of patches.
function tokensOf({ width, height }: ImagePart, { images }: Capabilities): number {
  if (width === undefined || height === undefined) return TOKENS_UNKNOWN_SIZE;
  if (typeof images === 'object') return imageTokens(images, { width, height });
  return Math.min(TOKENS_AT_MOST, Math.ceil((width * height) / PIXELS_PER_TOKEN));
}

/** An image as base64, or the text that stands for it. `reason` says why none can stand at its place. */
export function imagePiece(image: ImagePart, reason: string | undefined, lowering: Lowering): BlockPiece {
  const { head, holds, tokens, mediaBytes } = imageContent(image, reason, lowering);
  return markablePiece(head, holds, tokens, mediaBytes);
}

/**
 * The thinking block as it was received. None when it is of another provider or model (its signature would be a 400), or when it
 * has no signature.
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

/** The item as it was received, or its plain twin where it is bound to another provider. */
export function nativePiece(part: NativePart, lowering: Lowering): BlockPiece | undefined {
  if (part.provider !== ANTHROPIC.name || !isJsonObject(part.item)) return textPiece(part.text, lowering);
  return piece(part.item, 'native', lowering.estimate(part.item));
}

/** Covers tools by reference as well as by definition. */
const TOOLS_BETA = 'inline-tools-2026-09-15';
const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01';

/** Start of a message that holds no blocks: it sets the effort, and renders nothing at its place. */
export const LEVEL_PREFIX = '{"role":"system","content":[],"output_config":{"effort":';

/**
 * The blocks of a change, as system messages inside the history (docs, build-with-claude/mid-conversation-system-messages and
 * build-with-claude/effort-per-message): withdrawn tools, then offered ones, of which the API takes a new definition for the same
 * name as its replacement; one whole message that sets the effort; or the text of another role.
 *
 * @throws ProviderError `provider/invalid` when a definition is not among the materials.
 */
export function changePieces(part: ChangePart, lowering: Lowering): readonly BlockPiece[] {
  if (part.change === 'reasoning') {
    return [{ ...piece(`${LEVEL_PREFIX}${jsonString(part.setting)}}}`, 'change', 0), betas: [EFFORT_BETA] }];
  }
  // A marker on a system message is documented for changes of tools alone.
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

/** A tool: an entry of `tools`. @throws ProviderError `provider/invalid` for a tool that the API would refuse. */
export function toolPiece(tool: FrontToolDefinition, lowering: Lowering): BlockPiece {
  return markablePiece(toolHead(tool), 'tool', lowering.estimate(tool.definition));
}

/** `{"name","description","input_schema"` without its closing brace. */
function toolHead(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return `{${toolMembers(ANTHROPIC, tool, {
    schema: 'input_schema',
    isName: (name) => NAME.test(name),
    longestName: 128,
  })}`;
}
