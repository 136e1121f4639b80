// Items and content parts of the Responses API, one for each part of a span.

import type {
  CallPart,
  ImagePart,
  Lowering,
  NativePart,
  ReasoningPart,
  ResultPart,
  Role,
  TextPart,
} from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece } from '../encode/piece.ts';
import { imageStub, wireImage } from '../encode/image.ts';
import { piece } from '../encode/piece.ts';
import { resultContents } from '../encode/result-text.ts';
import { wireId, wireName } from '../encode/wire-names.ts';
import { jsonString } from '../encode/wire-text.ts';
import { isJsonObject, parseObject } from '@tidemark/json';
import { OPENAI } from '../service.ts';
import { isOwnReasoning } from './same-model.ts';

/** What a `function_call` begins with; the id follows. */
export const CALL_PREFIX = '{"type":"function_call","call_id":"';

/** What a `function_call_output` begins with; the id follows. */
export const RESULT_PREFIX = '{"type":"function_call_output","call_id":"';

/** A message of the model, a content part of all others. None for blank text. */
export function textPiece({ text, phase }: PhasedText, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (isBlank(text)) return undefined;
  const head = role === 'assistant' ? messageItem({ text, ...(phase !== undefined && { phase }) }) : inputText(text);
  return piece(head, 'text', lowering.estimate(text));
}

/** Words, and where they came from the model, the phase that they are of. */
export type PhasedText = Pick<TextPart, 'text' | 'phase'>;

/**
 * What the model said, as an item of its own: one came, one goes back. Its id may be left out where nothing is stored; its
 * `phase` may not (the SDK's types: "dropping it can degrade performance").
 */
export function messageItem({ text, phase }: PhasedText): string {
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
export function reasoningPiece(part: ReasoningPart, lowering: Lowering): BlockPiece | undefined {
  const { opaque } = part;
  if (opaque === undefined || part.torn === true || !isOwnReasoning(part, lowering)) return undefined;
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
export function callItem({ call, name, arguments: raw }: Omit<CallPart, 'type'>): string {
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
