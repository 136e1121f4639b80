// Chat Completions for several services. A value of type `ChatDialect` contains the differences of one service. The
// encoder, the form of a body and the order of blocks are the same for all services.

import { defined, isJsonObject, parseObject } from '@tidemark/core';
import type {
  Block,
  BoundReasoningPart,
  CallPart,
  Encoder,
  Envelope,
  Front,
  FrontToolDefinition,
  ImagePart,
  LoweredFront,
  Lowering,
  Part,
  ResultPart,
  Role,
  Span,
} from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { BlockPiece, BodyFields, BodyForm, ParameterNames, Service } from '@tidemark/provider-wire';
import {
  bodyEnd,
  bodyHeader,
  frontBlock,
  frozenParameters,
  imageStub,
  isOwnReasoning,
  joinBody,
  jsonString,
  locateBlocks,
  piece,
  piecesOf,
  refuse,
  spanBlocks,
  systemBlocks,
  wireParameters,
  wireRole,
} from '@tidemark/provider-wire';
import { insideString, wireId, wireImage, wireName } from '../encode/content.ts';

/** Differences between one service's Chat Completions and those of the others. */
export interface ChatDialect extends Pick<Encoder, 'revision' | 'routing'>, Pick<BodyForm, 'service' | 'marks'> {
  readonly appends: NonNullable<Encoder['appends']>;
  /** Name of the API. Used in the error message for a change that the API cannot express. */
  readonly api: string;
  readonly parameters: Omit<ParameterNames, 'isOneOfSeveral'>;
  /**
   * Returns the fields that are different in each call: the output limit and the stream options. They come before the
   * fields of the envelope.
   */
  varying(front: Front, envelope: Envelope): BodyFields;
  tool(tool: FrontToolDefinition, lowering: Lowering): BlockPiece;
  /**
   * Returns a text of a message, or `undefined` for blank text. `inList` is true if the text is part of a list with
   * images.
   */
  words(text: string, inList: boolean, lowering: Lowering): BlockPiece | undefined;
  result(part: ResultPart, lowering: Lowering): BlockPiece;
  /**
   * Value of `run` for the block of a call. It is `calls` for a service that accepts markers, because there consecutive
   * calls can count as one lookback position. It is `none` for any other service.
   */
  readonly callRun: BlockPiece['run'];
  /** Method to send reasoning back. Absent for a service that receives no reasoning. */
  readonly reasoning?: ReasoningReturn;
}

/** Method to send the reasoning of an answer back, in the field `reasoning_content` of its message. */
export interface ReasoningReturn {
  /**
   * Content of the field in a message without reasoning of its own. If `fill` is absent, such a message does not have
   * the field.
   */
  readonly fill?: string;
}

/** Render parameters that all services accept under these names. */
export const CHAT_FIELDS: readonly string[] = [
  'frequency_penalty',
  'parallel_tool_calls',
  'presence_penalty',
  'response_format',
  'seed',
  'service_tier',
  'stop',
  'temperature',
  'tool_choice',
  'top_p',
  'verbosity',
];

/** Names in capability rows that differ from the field names in the body. */
export const CHAT_RENAMED: readonly (readonly [row: string, field: string])[] = [
  ['text.format', 'response_format'],
  ['text.verbosity', 'verbosity'],
];

/**
 * Creates the encoder of a dialect. The encoder is pure: the same spans, markers and envelope produce the same bytes on
 * every machine.
 */
export function chatEncoder(dialect: ChatDialect): Encoder {
  const { revision, appends, routing } = dialect;
  const form = chatForm(dialect);
  return {
    revision,
    appends,
    lowerFront: (front, lowering) => lowerFront(dialect, form, front, lowering),
    lowerSpan: (span, lowering) => lowerSpan(dialect, span, lowering),
    ...defined({ routing }),
    locate: (place, blocks) => locateBlocks(form, place, blocks),
    join: (front, newHash) => joinBody(form, front, newHash),
  };
}

/**
 * Lowers the front: tools in the given order, then the system texts as one system message. The system texts are joined
 * because many chat templates accept only one system message.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
function lowerFront(dialect: ChatDialect, form: BodyForm, front: Front, lowering: Lowering): LoweredFront {
  form.header(front);
  const tools = front.tools.map((tool) => frontBlock('tools', dialect.tool(tool, lowering), tool.origin));
  const system = systemBlocks(front, lowering, (text) => dialect.words(text, false, lowering));
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * Lowers one span to blocks in the order of a message: results, reasoning, text, then calls. Blank text produces no
 * block. Reasoning produces a block only if the dialect sends it back. Native items are sent as their plain twins.
 *
 * @throws ProviderError `provider/invalid` when the bytes of an image are not among the materials.
 */
function lowerSpan(dialect: ChatDialect, span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering, 'developer');
  const inList = role === 'user' && span.parts.some(({ type }) => type === 'image');
  const pieces = piecesOf(span, (part) => lowerPart(dialect, part, { role, inList, lowering }));
  const calls = pieces.filter(({ holds }) => holds === 'call');
  const thinking = pieces.filter(({ holds }) => holds === 'thinking');
  const others = pieces.filter(({ holds }) => holds !== 'call' && holds !== 'thinking');
  return spanBlocks(span, role, [...thinking, ...others, ...calls]);
}

interface PartPlace {
  readonly role: Role;
  /** True if the texts of the message are entries of a list of parts, because the message contains an image. */
  readonly inList: boolean;
  readonly lowering: Lowering;
}

function lowerPart(dialect: ChatDialect, part: Part, { role, inList, lowering }: PartPlace): BlockPiece | undefined {
  switch (part.type) {
    case 'text':
    case 'native':
      return dialect.words(part.text, inList, lowering);
    case 'image':
      return imagePiece(dialect, part, role, lowering);
    case 'reasoning':
      return dialect.reasoning === undefined ? undefined : reasoningPiece(part, lowering);
    case 'call':
      return { ...callPiece(part, lowering), run: dialect.callRun };
    case 'result':
      return dialect.result(part, lowering);
    case 'change': {
      const isTaken = part.change === 'role' && dialect.appends.includes('system');
      const words = isTaken ? dialect.words(part.text, false, lowering) : undefined;
      if (words !== undefined) return { ...words, holds: 'change' };
      throw refuse(
        dialect.service,
        'provider/unsupported',
        `${dialect.api} does not support a change of ${part.change} inside a history: open an epoch instead`,
      );
    }
  }
}

/**
 * Start of an entry in a message's list of parts. A block of kind `words` is the content of a JSON string. In it every
 * quote is escaped, so it never starts with this prefix. So the prefix shows the kind of a block.
 */
export const PART_PREFIX = '{"type":"';

/** In a message of any role except `user`, an image is replaced by a text that describes it (L6). */
function imagePiece(dialect: ChatDialect, image: ImagePart, role: Role, lowering: Lowering): BlockPiece | undefined {
  if (role !== 'user')
    return dialect.words(imageStub(image, `a message of role ${role} takes none`).text, false, lowering);
  const made = wireImage(dialect.service, image, lowering);
  if (made.kind === 'stub') return dialect.words(made.text, true, lowering);
  const head = `${PART_PREFIX}image_url","image_url":{"url":"${made.url}"}}`;
  return piece(head, 'image', made.tokens, made.mediaBytes);
}

/** A reasoning part has an opaque item. This is the name of the member of that item that contains the text. */
const REASONING_CONTENT = 'reasoning_content';

/** Returns the opaque item of a reasoning part, from which the reasoning is sent back. */
export function reasoningItem(text: string): string {
  return `{"${REASONING_CONTENT}":${jsonString(text)}}`;
}

/** Returns the content of the field `reasoning_content`. Returns `undefined` for reasoning of another model. */
function reasoningPiece(part: BoundReasoningPart, lowering: Lowering): BlockPiece | undefined {
  const text = part.opaque === undefined ? undefined : parseObject(part.opaque)?.[REASONING_CONTENT];
  const isOwn = isOwnReasoning({ name: lowering.capabilities.provider }, part, lowering);
  if (typeof text !== 'string' || text === '' || !isOwn) return undefined;
  return piece(insideString(text), 'thinking', lowering.estimate(text));
}

const CALL_PREFIX = '{"id":"';

/** Start of a tool message. The id follows. */
export const RESULT_PREFIX = '{"role":"tool","tool_call_id":"';

/**
 * Compatible servers parse the arguments of a call. If a text is not a JSON object, for example cut arguments, it is
 * sent as `{"raw":"…"}`. So the call stays valid and its result stays valid too.
 */
function callPiece(part: CallPart, lowering: Lowering): BlockPiece {
  const raw = objectText(part.arguments);
  const called = `{"name":"${wireName(part.name)}","arguments":${jsonString(raw)}}`;
  const head = `${CALL_PREFIX}${wireId(part.call)}","type":"function","function":${called}}`;
  return piece(head, 'call', lowering.estimate(part.name) + lowering.estimate(raw));
}

function objectText(raw: string): string {
  if (isBlank(raw)) return '{}';
  return isJsonObject(raw) ? raw : `{"raw":${jsonString(raw)}}`;
}

/**
 * Returns the form of a body: `{"model", parameters, "tools", "messages", fields that vary by call, envelope fields}`.
 */
function chatForm({ service, marks, parameters, varying, reasoning }: ChatDialect): BodyForm {
  const fields = (front: Front): BodyFields => writtenParameters(service, front, parameters);
  const fill = reasoning?.fill === undefined ? '' : `"reasoning_content":${jsonString(reasoning.fill)},`;
  return {
    service,
    header: (front) => bodyHeader(front.model, fields(front)),
    between: (before, after) => between(before, after, fill),
    joins: (before, after) => inside(before, after) !== undefined,
    systemIsMessage: true,
    end: (front, envelope) => {
      const taken = new Set([...WRITTEN, ...Object.keys(fields(front))]);
      return bodyEnd(service, taken, varying(front, envelope), envelope);
    },
    ...defined({ marks }),
    callPrefix: CALL_PREFIX,
    resultPrefix: RESULT_PREFIX,
    callsLast: true,
  };
}

/** Names of the fields that the encoders write themselves. */
export const WRITTEN: readonly string[] = ['model', 'tools', 'messages', 'max_tokens', 'max_completion_tokens'];

function writtenParameters(service: Service, front: Front, names: ChatDialect['parameters']): BodyFields {
  return wireParameters(service, front, { ...names, isOneOfSeveral: true });
}

/**
 * Kind of a block by its place in a message.
 *
 * - `thought`: a piece of the message's reasoning, which is one string.
 * - `words`: a piece of the message's text, which is one string.
 * - `part`: an entry of the message's list of parts.
 * - `call`: an entry of the message's `tool_calls`.
 * - `message`: a whole message.
 */
type ChatPieceKind = 'thought' | 'words' | 'part' | 'call' | 'message';

const ROLES: { readonly [role in Role]: string } = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

const CLOSING: { readonly [kind in ChatPieceKind]: string } = {
  thought: '","content":""}',
  words: '"}',
  part: ']}',
  call: ']}',
  message: '',
};

/**
 * Text between two blocks of one message, by the kinds of the two blocks. If a pair is not in this table, the second
 * block starts a new message.
 */
const INSIDE: { readonly [pair: string]: string } = {
  'thought thought': '\\n\\n',
  'thought words': '","content":"',
  'thought call': '","content":null,"tool_calls":[',
  'words words': '\\n\\n',
  'part part': ',',
  'call call': ',',
  'words call': '","tool_calls":[',
  'part call': '],"tool_calls":[',
};

/** `fill` is the field `reasoning_content` for an assistant message that does not start with reasoning. */
function between(before: Block | undefined, after: Block | undefined, fill: string): string {
  if (before === undefined) return after === undefined ? '"messages":[]' : first(after, fill);
  if (before.section === 'tools') {
    if (after?.section === 'tools') return ',';
    return after === undefined ? '],"messages":[]' : `],${first(after, fill)}`;
  }
  if (after === undefined) return `${CLOSING[kindOf(before)]}]`;
  return inside(before, after) ?? `${CLOSING[kindOf(before)]},${opening(after, fill)}`;
}

function inside(before: Block, after: Block): string | undefined {
  if (before.group !== after.group || before.role !== after.role) return undefined;
  return INSIDE[`${kindOf(before)} ${kindOf(after)}`];
}

function first(block: Block, fill: string): string {
  return block.section === 'tools' ? '"tools":[' : `"messages":[${opening(block, fill)}`;
}

function opening(block: Block, fill: string): string {
  const role = ROLES[block.role];
  const filled = block.role === 'assistant' ? fill : '';
  switch (kindOf(block)) {
    case 'thought':
      return '{"role":"assistant","reasoning_content":"';
    case 'words':
      return `{"role":"${role}",${filled}"content":"`;
    case 'part':
      return `{"role":"${role}",${filled}"content":[`;
    case 'call':
      return `{"role":"assistant",${filled}"content":null,"tool_calls":[`;
    case 'message':
      return '';
  }
}

function kindOf({ holds, head }: Block): ChatPieceKind {
  if (holds === 'call') return 'call';
  if (holds === 'result') return 'message';
  if (holds === 'thinking') return 'thought';
  return head.startsWith(PART_PREFIX) ? 'part' : 'words';
}
