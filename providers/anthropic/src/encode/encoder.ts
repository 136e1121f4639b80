// Encoder for the Messages API, revision 1. After a release, its bytes must never change. Any change of the bytes needs
// a new encoder with a new revision.

import type {
  Block,
  Capabilities,
  Encoder,
  Envelope,
  Front,
  JsonValue,
  LoweredFront,
  Lowering,
  Part,
  Role,
  Span,
} from '@tidemark/model';
import type { BlockPiece, BodyForm, ParameterNames } from '@tidemark/provider-wire';
import {
  bodyEnd,
  bodyHeader,
  countBody,
  frontBlock,
  frozenParameters,
  joinBody,
  locateBlocks,
  piecesOf,
  spanBlocks,
  systemBlocks,
  wireParameters,
  wireRole,
} from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import {
  CALL_PREFIX,
  callPiece,
  changePieces,
  imagePiece,
  LEVEL_PREFIX,
  nativePiece,
  reasoningPiece,
  RESULT_PREFIX,
  resultPiece,
  textPiece,
  toolPiece,
} from './parts.ts';

/**
 * Encoder for Anthropic's Messages API. The encoder is pure: the same spans, markers and envelope produce the same
 * bytes on every machine.
 */
export const anthropicEncoder: Encoder = {
  revision: 'anthropic-messages/1',
  lowerFront,
  lowerSpan,
  comparing,
  leastOutput,
  locate: (place, blocks) => locateBlocks(FORM, place, blocks),
  join: (front, newHash) => joinBody(FORM, front, newHash),
};

/**
 * Returns the field that asks the API to compare this request with an earlier request. The API stores only requests
 * that asked for a comparison. So the first request asks too, with `null`.
 */
function comparing(previous: string | undefined, { diagnoses }: Capabilities): Envelope['fields'] {
  return diagnoses === true ? { diagnostics: { previous_message_id: previous ?? null } } : {};
}

/**
 * Lowers the front to blocks: tools in the given order, then system texts. Blank system texts are omitted.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 *   render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  header(front);
  const tools = front.tools.map((tool) => frontBlock('tools', toolPiece(tool, lowering), tool.origin));
  const system = systemBlocks(front, lowering, textPiece);
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * Lowers one span to blocks: one block for each content block. Results come first, then all other parts in order. Three
 * things produce no block: blank text, reasoning that the model would refuse, and reasoning with no part after it.
 *
 * @throws ProviderError `provider/invalid` when the bytes of an image are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering, 'system');
  const pieces = piecesOf(span, (part) => lowerPart(part, role, lowering));
  return spanBlocks(span, role, role === 'system' ? pieces.map(withoutMark) : pieces);
}

// In the API documentation, a system message in the history has a marker only if it changes tools. So the blocks of all
// other system messages get no marker.
function withoutMark<Piece extends BlockPiece>(piece: Piece): Piece {
  return piece.holds === 'change' ? piece : { ...piece, markable: false };
}

function lowerPart(part: Part, role: Role, lowering: Lowering): BlockPiece | readonly BlockPiece[] | undefined {
  switch (part.type) {
    case 'text':
      return textPiece(part.text, lowering);
    case 'image':
      return imagePiece(part, role === 'user' ? undefined : `a message of role ${role} takes none`, lowering);
    case 'reasoning':
      return role === 'assistant' ? reasoningPiece(part, lowering) : undefined;
    case 'call':
      return callPiece(part, lowering);
    case 'native':
      return nativePiece(part, lowering);
    case 'result':
      return resultPiece(part, lowering);
    case 'change':
      return changePieces(part, lowering);
  }
}

/**
 * Returns the smallest output limit that a request can have (provider-facts §1.1, pre-warm). The limit is 0 if the
 * model can write its cache without an answer and the parameters allow this. Otherwise the limit is 1. If a thinking
 * budget is set, the limit must be larger than the budget, so the result is `undefined`.
 */
export function leastOutput(parameters: Front['parameters'], { prewarm }: Capabilities): number | undefined {
  if (member(parameters['thinking'], 'type') === 'enabled') return undefined;
  const choice = member(parameters['tool_choice'], 'type');
  const forced = choice === 'any' || choice === 'tool';
  return !prewarm || forced || member(parameters['output_config'], 'format') !== undefined ? 1 : 0;
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isRecord(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const PARAMETERS: ParameterNames = {
  fields: new Set([
    'context_management',
    'inference_geo',
    'output_config',
    'service_tier',
    'speed',
    'stop_sequences',
    'temperature',
    'thinking',
    'tool_choice',
    'top_k',
    'top_p',
  ]),
  inside: new Map([
    ['effort', ['output_config', 'effort']],
    ['disable_parallel_tool_use', ['tool_choice', 'disable_parallel_tool_use', { type: 'auto' }]],
  ]),
};

/**
 * Returns the beginning of a body: `{"model":…,` and the parameters in ascending order of their names.
 *
 * @throws ProviderError `provider/unsupported` for a parameter that has no field in this API.
 */
export function header(front: Front): string {
  return bodyHeader(front.model, wireParameters(ANTHROPIC, front, PARAMETERS));
}

const WRITTEN = ['model', 'messages', 'system', 'tools', 'max_tokens', 'stream'];

function end(front: Front, envelope: Envelope): string {
  const taken = new Set([...WRITTEN, ...Object.keys(wireParameters(ANTHROPIC, front, PARAMETERS))]);
  // If a request only writes the cache, the API refuses to stream it (provider-facts §1.1, pre-warm).
  const stream = envelope.outputLimit === 0 ? {} : { stream: true };
  return bodyEnd(ANTHROPIC, taken, { max_tokens: envelope.outputLimit, ...stream }, envelope);
}

/**
 * Form of a body: `{"model", parameters, "tools", "system", "messages", "max_tokens", "stream", fields}`. `fields` are
 * the fields of the envelope.
 */
const FORM: BodyForm = {
  service: ANTHROPIC,
  header,
  between,
  joins,
  systemIsMessage: false,
  end,
  // The 5 minute lifetime is the API's default, so its marker needs no `ttl` field.
  marks: { '5m': ',"cache_control":{"type":"ephemeral"}', '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}' },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: false,
};

// Returns the text between two blocks. The text depends only on these two blocks. So a body that is built in one step
// has the same bytes as a body that is built in several steps.
function between(before: Block | undefined, after: Block | undefined): string {
  if (before === undefined) return after === undefined ? '"messages":[]' : opening(after);
  if (after === undefined) return before.section === 'messages' ? `${closing(before)}]` : '],"messages":[]';
  if (before.section !== after.section) return `],${opening(after)}`;
  if (before.section !== 'messages') return ',';
  return joins(before, after) ? ',' : `${closing(before)},${message(after)}`;
}

function joins(before: Block, after: Block): boolean {
  return before.group === after.group && before.role === after.role;
}

function opening(block: Block): string {
  return block.section === 'messages' ? `"messages":[${message(block)}` : `"${block.section}":[`;
}

function message(block: Block): string {
  return isWhole(block) ? '' : `{"role":"${block.role}","content":[`;
}

function closing(block: Block): string {
  return isWhole(block) ? '' : ']}';
}

/** True for a change of effort, because its block is a complete message. */
function isWhole({ head }: Block): boolean {
  return head.startsWith(LEVEL_PREFIX);
}

/** Fields that `/v1/messages/count_tokens` accepts. The endpoint refuses fields that only generation needs. */
const COUNTED: ReadonlySet<string> = new Set([
  'cache_control',
  'context_management',
  'mcp_servers',
  'messages',
  'model',
  'output_config',
  'speed',
  'system',
  'thinking',
  'tool_choice',
  'tools',
]);

/**
 * Returns the body with only the fields that the count endpoint accepts. The bytes of each kept field do not change.
 */
export function tokenCountBody(body: Uint8Array): Uint8Array {
  return countBody(body, COUNTED);
}
