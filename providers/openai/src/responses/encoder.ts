// Encoder of the Responses API, revision 1. After a release, its bytes must never change. Any change of the bytes needs
// a new encoder with a new revision.

import type {
  Block,
  Capabilities,
  Encoder,
  Envelope,
  Front,
  LoweredFront,
  Lowering,
  Part,
  Role,
  Span,
} from '@tidemark/model';
import type { BlockPiece, BodyFields, BodyForm, ParameterNames } from '@tidemark/provider-wire';
import {
  bodyEnd,
  bodyHeader,
  countBody,
  frontBlock,
  frozenParameters,
  joinBody,
  locateBlocks,
  piece,
  piecesOf,
  spanBlocks,
  systemBlocks,
  wireParameters,
  wireRole,
} from '@tidemark/provider-wire';
import { isReasoning } from '../model-generation.ts';
import { cacheRouting, OPENAI } from '../service.ts';
import {
  CALL_PREFIX,
  callPiece,
  changePiece,
  echoes,
  functionTool,
  imagePiece,
  nativePiece,
  reasoningPiece,
  RESULT_PREFIX,
  resultPiece,
  textPiece,
} from './items.ts';

/**
 * Encoder for OpenAI's Responses API, used without stored state. The encoder is pure: the same spans, markers and
 * envelope produce the same bytes on every machine.
 */
export const openaiResponsesEncoder: Encoder = {
  revision: 'openai-responses/1',
  appends: ['system', 'reasoning', 'tool-additions'],
  lowerFront,
  lowerSpan,
  routing: cacheRouting,
  comparing,
  echoes,
  locate: (place, blocks) => locateBlocks(responsesForm, place, blocks),
  join: (front, newHash) => joinBody(responsesForm, front, newHash),
};

/**
 * Returns the field that asks the API to compare this request with an earlier response. The API stores every response
 * for a later comparison, so the first request needs no field.
 */
function comparing(previous: string | undefined, { diagnoses }: Capabilities): Envelope['fields'] {
  if (diagnoses !== true || previous === undefined) return {};
  return { prompt_cache_options: { comparison_response_id: previous } };
}

/**
 * Lowers the front to blocks: tools in the given order, never strict, then the system texts as parts of the first
 * developer message. The field `instructions` is not used, because from GPT-5.6 on the end of the first developer block
 * is a cache boundary. On older models, `instructions` and a developer message have the same place in the prefix
 * (provider-facts §2.2).
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 *   render parameter.
 */
function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  responsesHeader(front);
  const tools = front.tools.map((tool): Block => {
    return frontBlock('tools', piece(functionTool(tool), 'tool', lowering.estimate(tool.definition)), tool.origin);
  });
  const marked = takesMarks(lowering);
  const system = systemBlocks(front, lowering, (text) => {
    const made = textPiece({ text }, 'system', lowering);
    return made !== undefined && marked ? withSlot(made) : made;
  });
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * True if the model accepts explicit markers in addition to the entries that it caches by itself (provider-facts §2.1).
 */
function takesMarks({ capabilities: { implicit, slots } }: Lowering): boolean {
  return implicit?.at === 'endings' && slots > 0;
}

/**
 * Returns the same block with its closing brace moved from `head` to `tail`, so that a marker can be inserted before
 * the brace. The bytes stay the same.
 */
function withSlot(made: BlockPiece): BlockPiece {
  return { ...made, head: made.head.slice(0, -1), tail: made.head.slice(-1), markable: true };
}

/**
 * Lowers one span to blocks: results first, then all other parts in the order of arrival. Blank text and reasoning that
 * the model would refuse produce no block. Reasoning with no part after it produces no block either, because the API
 * would return 400 ("without its required following item").
 *
 * @throws ProviderError `provider/invalid` when the bytes of an image are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering, 'developer');
  const pieces = piecesOf(span, (part) => lowerPart(part, role, lowering));
  return spanBlocks(span, role, pieces);
}

function lowerPart(part: Part, role: Role, lowering: Lowering): BlockPiece | undefined {
  switch (part.type) {
    case 'text':
      return textPiece(part, role, lowering);
    case 'image':
      return imagePiece(part, role, lowering);
    case 'reasoning':
      return role === 'assistant' ? reasoningPiece(part, lowering) : undefined;
    case 'call':
      return callPiece(part, lowering);
    case 'native':
      return nativePiece(part, role, lowering);
    case 'result':
      return resultPiece(part, lowering);
    case 'change':
      return changePiece(part, lowering);
  }
}

const NAMES: ParameterNames = {
  fields: new Set([
    'context_management',
    'parallel_tool_calls',
    'personality',
    'reasoning',
    'service_tier',
    'temperature',
    'text',
    'tool_choice',
    'top_p',
  ]),
  inside: new Map([
    ['reasoning.effort', ['reasoning', 'effort']],
    ['reasoning.summary', ['reasoning', 'summary']],
    ['text.format', ['text', 'format']],
    ['text.verbosity', ['text', 'verbosity']],
  ]),
  isOneOfSeveral: true,
};

/**
 * The provider stores nothing, so the body asks for encrypted reasoning. If a model does not reason, the API would
 * refuse this, so the body does not ask for it.
 *
 * @throws ProviderError `provider/unsupported` for a parameter that has no field in this API.
 */
function responsesHeader(front: Front): string {
  return bodyHeader(front.model, headerFields(front));
}

function responsesEnd(front: Front, envelope: Envelope): string {
  const taken = new Set(['model', 'tools', 'input', ...Object.keys(headerFields(front))]);
  return bodyEnd(OPENAI, taken, { max_output_tokens: envelope.outputLimit, stream: true }, envelope);
}

function headerFields(front: Front): BodyFields {
  const include = isReasoning(front.model) ? { include: ['reasoning.encrypted_content'] } : {};
  return { ...wireParameters(OPENAI, front, NAMES), ...include, store: false };
}

/**
 * Form of a body: `{"model", parameters, "tools", "input", "max_output_tokens", "stream", fields}`. `fields` are the
 * fields of the envelope.
 */
const responsesForm: BodyForm = {
  service: OPENAI,
  header: responsesHeader,
  between,
  joins,
  systemIsMessage: true,
  end: responsesEnd,
  // The lifetime of 30 minutes is the default, so its marker needs no `ttl` field.
  marks: {
    '30m': ',"prompt_cache_breakpoint":{"mode":"explicit"}',
    '12h': ',"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}',
  },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: false,
  continuationFields: ({ response }) => ({ previous_response_id: response }),
};

const ROLES: { readonly [role in Role]: string } = {
  system: 'developer',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
};

function between(before: Block | undefined, after: Block | undefined): string {
  if (before === undefined) return after === undefined ? '"input":[]' : first(after);
  if (before.section === 'tools') {
    if (after?.section === 'tools') return ',';
    return after === undefined ? '],"input":[]' : `],${first(after)}`;
  }
  if (after === undefined) return `${closing(before)}]`;
  if (joins(before, after)) return ',';
  return `${closing(before)},${opening(after)}`;
}

function joins(before: Block, after: Block): boolean {
  return isContent(before) && isContent(after) && before.group === after.group && before.role === after.role;
}

function first(block: Block): string {
  return block.section === 'tools' ? '"tools":[' : `"input":[${opening(block)}`;
}

function opening(block: Block): string {
  return isContent(block) ? `{"type":"message","role":"${ROLES[block.role]}","content":[` : '';
}

function closing(block: Block): string {
  return isContent(block) ? ']}' : '';
}

function isContent({ holds, role }: Block): boolean {
  return (holds === 'text' || holds === 'image') && role !== 'assistant';
}

/**
 * Fields that `POST /responses/input_tokens` accepts (SDK 7.55). These fields cover everything that the model reads.
 * Fields that only generation needs are not accepted.
 */
const COUNTED: ReadonlySet<string> = new Set([
  'input',
  'model',
  'parallel_tool_calls',
  'personality',
  'reasoning',
  'text',
  'tool_choice',
  'tools',
]);

/**
 * Returns the body with only the fields that the count endpoint accepts. The bytes of each kept field do not change.
 */
export function tokenCountBody(body: Uint8Array): Uint8Array {
  return countBody(body, COUNTED);
}
