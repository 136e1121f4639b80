// Encodes parts of a span, including changes of the front, as items and content parts of the Responses API. Also
// compares an item with the bytes that were received.

import { defined, isJsonObject, parseObject } from '@tidemark/core';
import type {
  AddedTool,
  AnswerPart,
  Block,
  CallPart,
  ChangePart,
  FrontToolDefinition,
  ImagePart,
  Lowering,
  NativePart,
  BoundReasoningPart,
  ResultPart,
  Role,
  AnswerText,
} from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece } from '@tidemark/provider-wire';
import { imageStub, isOwnReasoning, jsonString, piece, refuse } from '@tidemark/provider-wire';
import { functionMembers, resultContents, wireId, wireImage, wireName } from '../encode/content.ts';
import { OPENAI } from '../service.ts';

/** Start of a `function_call` item. The id follows. */
export const CALL_PREFIX = '{"type":"function_call","call_id":"';

/** Start of a `function_call_output` item. The id follows. */
export const RESULT_PREFIX = '{"type":"function_call_output","call_id":"';

/**
 * Returns a text as a whole message item for the assistant role, and as a content part for all other roles. Returns
 * `undefined` for blank text.
 */
export function textPiece({ text, phase }: PhasedText, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  const head = role === 'assistant' ? messageItem(defined({ text, phase })) : inputText(text);
  return piece(head, 'text', lowering.estimate(text));
}

type PhasedText = Pick<AnswerText, 'text' | 'phase'>;

/**
 * Returns a text of the model as one item, because the model also sent it as one item. The item's id may be omitted,
 * because nothing is stored at the provider. Its `phase` must be kept (the SDK's types: "dropping it can degrade
 * performance").
 */
function messageItem({ text, phase }: PhasedText): string {
  const phaseField = phase === undefined ? '' : `"phase":${jsonString(phase)},`;
  return `{"type":"message","role":"assistant",${phaseField}"content":[{"type":"output_text","text":${jsonString(text)}}]}`;
}

/**
 * Returns an `input_image` part for a user message. In a message of any other role, returns a text that describes the
 * image (L6).
 */
export function imagePiece(image: ImagePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  const made =
    role === 'user' ? wireImage(OPENAI, image, lowering) : imageStub(image, `a message of role ${role} takes none`);
  if (made.kind === 'stub') return textPiece(made, role, lowering);
  return piece(inputImage(made.url), 'image', made.tokens, made.mediaBytes);
}

/**
 * Returns the reasoning item as it was received. Returns `undefined` for an item of another provider or model, and for
 * an item that is not encrypted. The item that followed the reasoning must also be sent, with the same id. Otherwise
 * the API would return 400 ("without its required following item"), so the result is `undefined`.
 */
export function reasoningPiece(part: BoundReasoningPart, lowering: Lowering): BlockPiece | undefined {
  const { opaque } = part;
  if (opaque === undefined || part.torn === true || !isOwnReasoning(OPENAI, part, lowering)) return undefined;
  const item = parseObject(opaque);
  const sealed = item?.['encrypted_content'];
  if (item?.['type'] !== 'reasoning' || typeof sealed !== 'string' || sealed === '') return undefined;
  return piece(opaque, 'thinking', lowering.estimate(part.text === '' ? opaque : part.text));
}

/**
 * Returns a `function_call` item. Its arguments are the raw text that was streamed, and blank arguments become `{}`.
 */
export function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const raw = isBlank(part.arguments) ? '{}' : part.arguments;
  const call = { call: wireId(part.call), name: wireName(part.name), arguments: raw };
  return piece(callItem(call), 'call', lowering.estimate(part.name) + lowering.estimate(raw));
}

/**
 * Returns a call item. The id and the name are inserted without escaping, so they must contain only characters that the
 * API accepts.
 */
function callItem({ call, name, arguments: raw }: Omit<CallPart, 'type'>): string {
  return `${CALL_PREFIX}${call}","name":"${name}","arguments":${jsonString(raw)}}`;
}

/**
 * Returns a `function_call_output` item. Its output is a string, or a list of parts if the result contains an image.
 */
export function resultPiece(part: ResultPart, lowering: Lowering): BlockPiece {
  const contents = resultContents(part).map((one) => (typeof one === 'string' ? one : outputImage(one, lowering)));
  const texts = contents.filter((one) => typeof one === 'string');
  const images = contents.filter((one) => typeof one !== 'string');
  const output =
    images.length === 0
      ? jsonString(texts.join('\n'))
      : `[${contents.map((one) => (typeof one === 'string' ? inputText(one) : one.json)).join(',')}]`;
  const tokens = texts.reduce((sum, text) => sum + lowering.estimate(text), 0);
  const weigh = (field: 'tokens' | 'mediaBytes'): number => images.reduce((sum, image) => sum + image[field], 0);
  const head = `${RESULT_PREFIX}${wireId(part.call)}","output":${output}}`;
  return piece(head, 'result', tokens + weigh('tokens'), weigh('mediaBytes'));
}

/** Returns the item as it was received, or its plain twin as text if the item belongs to another provider. */
export function nativePiece(part: NativePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (part.provider !== OPENAI.name || !isJsonObject(part.item)) return textPiece(part, role, lowering);
  return piece(part.item, 'native', lowering.estimate(part.item));
}

interface OutputImage {
  readonly json: string;
  readonly tokens: number;
  readonly mediaBytes: number;
}

function outputImage(image: ImagePart, lowering: Lowering): string | OutputImage {
  const made = wireImage(OPENAI, image, lowering);
  if (made.kind === 'stub') return made.text;
  return { json: inputImage(made.url), tokens: made.tokens, mediaBytes: made.mediaBytes };
}

function inputText(text: string): string {
  return `{"type":"input_text","text":${jsonString(text)}}`;
}

function inputImage(url: string): string {
  return `{"type":"input_image","detail":"auto","image_url":"${url}"}`;
}

/** Returns a tool definition in the form of the Responses API, always with `"strict":false`. */
export function functionTool(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return `{"type":"function",${functionMembers(OPENAI, tool)},"strict":false}`;
}

/**
 * Returns a change as one item: `configuration_update`, `additional_tools`, or a developer message with the text of the
 * new role.
 *
 * @throws ProviderError `provider/unsupported` for a change that removes a tool, because this API has no item for it;
 *   `provider/invalid` when a definition is not among the materials.
 */
export function changePiece(part: ChangePart, lowering: Lowering): BlockPiece {
  if (part.change === 'reasoning') {
    const effort = jsonString(part.setting);
    const item = `{"type":"configuration_update","reasoning":{"effort":${effort}}}`;
    return piece(item, 'change', lowering.estimate(item));
  }
  if (part.change === 'role') {
    const item = `{"type":"message","role":"developer","content":[{"type":"input_text","text":${jsonString(part.text)}}]}`;
    return piece(item, 'change', lowering.estimate(part.text));
  }
  if (part.removed.length > 0) throw notWithdrawn(part.removed);
  const tools = part.added.map((tool) => functionTool({ name: tool.name, definition: definitionOf(tool, lowering) }));
  const item = `{"type":"additional_tools","role":"developer","tools":[${tools.join(',')}]}`;
  return piece(item, 'change', lowering.estimate(item));
}

function definitionOf({ name, definition }: AddedTool, { materials }: Lowering): string {
  const bytes = materials(definition);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw refuse(
    OPENAI,
    'provider/invalid',
    `the definition ${definition} of the tool "${name}" is not among the materials: load it before the span is lowered`,
  );
}

function notWithdrawn(names: readonly string[]): Error {
  return refuse(
    OPENAI,
    'provider/unsupported',
    `OpenAI cannot remove the tools ${names.join(', ')} inside a history: open an epoch instead`,
  );
}

/**
 * True if a block sends a part back with exactly the bytes that were received. Then the answer that the service stores
 * is equal to the answer in the history. So a request may continue from it by its id.
 */
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
