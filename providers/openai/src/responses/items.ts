// Parts of a span as items and content parts of the Responses API, changes of the front among them; and whether an item sends back
// the bytes that came.

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

/** What a `function_call` begins with; the id follows. */
export const CALL_PREFIX = '{"type":"function_call","call_id":"';

/** What a `function_call_output` begins with; the id follows. */
export const RESULT_PREFIX = '{"type":"function_call_output","call_id":"';

/** A message of the model, a content part of all others. None for blank text. */
export function textPiece({ text, phase }: PhasedText, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  const head = role === 'assistant' ? messageItem(defined({ text, phase })) : inputText(text);
  return piece(head, 'text', lowering.estimate(text));
}

/** Words, and where they came from the model, the phase that they are of. */
type PhasedText = Pick<AnswerText, 'text' | 'phase'>;

/**
 * What the model said, as an item of its own: one came, one goes back. Its id may be left out where nothing is stored; its
 * `phase` may not (the SDK's types: "dropping it can degrade performance").
 */
function messageItem({ text, phase }: PhasedText): string {
  const told = phase === undefined ? '' : `"phase":${jsonString(phase)},`;
  return `{"type":"message","role":"assistant",${told}"content":[{"type":"output_text","text":${jsonString(text)}}]}`;
}

/** An `input_image` in a user message; words for it anywhere else (L6). */
export function imagePiece(image: ImagePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  const made =
    role === 'user' ? wireImage(OPENAI, image, lowering) : imageStub(image, `a message of role ${role} takes none`);
  if (made.kind === 'stub') return textPiece(made, role, lowering);
  return piece(inputImage(made.url), 'image', made.tokens, made.mediaBytes);
}

/**
 * The reasoning item as it was received. None of another provider or model, none that is not encrypted, and none that
 * another item would follow than the one it came with (a 400: "without its required following item").
 */
export function reasoningPiece(part: BoundReasoningPart, lowering: Lowering): BlockPiece | undefined {
  const { opaque } = part;
  if (opaque === undefined || part.torn === true || !isOwnReasoning(OPENAI, part, lowering)) return undefined;
  const item = parseObject(opaque);
  const sealed = item?.['encrypted_content'];
  if (item?.['type'] !== 'reasoning' || typeof sealed !== 'string' || sealed === '') return undefined;
  return piece(opaque, 'thinking', lowering.estimate(part.text === '' ? opaque : part.text));
}

/** A `function_call`: the arguments are the raw text that was streamed, nothing is `{}`. */
export function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const raw = isBlank(part.arguments) ? '{}' : part.arguments;
  const call = { call: wireId(part.call), name: wireName(part.name), arguments: raw };
  return piece(callItem(call), 'call', lowering.estimate(part.name) + lowering.estimate(raw));
}

/** A call whose id and name the API takes. */
function callItem({ call, name, arguments: raw }: Omit<CallPart, 'type'>): string {
  return `${CALL_PREFIX}${call}","name":"${name}","arguments":${jsonString(raw)}}`;
}

/** A `function_call_output`: a string, or a list of parts where the result holds an image. */
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

/** The item as it was received, or its plain twin where it is bound to another provider. */
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

/** A function as the Responses API takes it, never strict. */
export function functionTool(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  return `{"type":"function",${functionMembers(OPENAI, tool)},"strict":false}`;
}

/**
 * One item: `configuration_update`, `additional_tools`, or a message of the developer with another role.
 *
 * @throws ProviderError `provider/unsupported` for a tool that is withdrawn, which this API has no item for;
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
    `OpenAI has no way to withdraw the tools ${names.join(', ')} inside a history: open an epoch instead`,
  );
}

/**
 * Whether a block sends back what came, byte for byte. Then the answer of the service and the answer in the history are one, and a
 * request may go on from it by its id.
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
