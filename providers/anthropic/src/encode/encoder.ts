// The encoder, revision 1. Its bytes are frozen once released: another way of writing is another revision beside it.

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

/** Anthropic Messages. Pure: the same spans, markers and envelope give the same bytes on every machine. */
export const anthropicEncoder: Encoder = {
  revision: 'anthropic-messages/1',
  lowerFront,
  lowerSpan,
  comparing,
  leastOutput,
  locate: (place, blocks) => locateBlocks(FORM, place, blocks),
  join: (front, newHash) => joinBody(FORM, front, newHash),
};

/** The first request asks too: only what did is remembered. */
function comparing(previous: string | undefined, { diagnoses }: Capabilities): Envelope['fields'] {
  return diagnoses === true ? { diagnostics: { previous_message_id: previous ?? null } } : {};
}

/**
 * Lowers the front: tools in the order given, then system texts. Blank system texts are left out.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse, `provider/unsupported` for an unknown
 * render parameter.
 */
export function lowerFront(front: Front, lowering: Lowering): LoweredFront {
  header(front);
  const tools = front.tools.map((tool) => frontBlock('tools', toolPiece(tool, lowering), tool.origin));
  const system = systemBlocks(front, lowering, textPiece);
  return { front, blocks: [...tools, ...system], parameters: frozenParameters(front) };
}

/**
 * Blocks of one span, one per content block: results first, then the rest in order. None for blank text, for reasoning that the
 * model would refuse, and for reasoning that nothing follows.
 *
 * @throws ProviderError `provider/invalid` when an image's bytes are not among the materials.
 */
export function lowerSpan(span: Span, lowering: Lowering): readonly Block[] {
  const role = wireRole(span.role, lowering, 'system');
  const pieces = piecesOf(span, (part) => lowerPart(part, role, lowering));
  return spanBlocks(span, role, role === 'system' ? pieces.map(withoutMark) : pieces);
}

// A marker on a system message in the history is documented for changes of tools alone: else not taken for granted.
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
 * The smallest answer that a request can ask for (provider facts 1.1, pre-warm): 0 where the model writes its cache without an
 * answer, and the parameters allow that; else 1. `undefined` with a thinking budget, which the limit must exceed.
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
 * The beginning of a body: `{"model":…,` and the parameters by ascending name.
 *
 * @throws ProviderError `provider/unsupported` for a name that this provider has no field for.
 */
export function header(front: Front): string {
  return bodyHeader(front.model, wireParameters(ANTHROPIC, front, PARAMETERS));
}

const WRITTEN = ['model', 'messages', 'system', 'tools', 'max_tokens', 'stream'];

/** The end of a body: what varies by call, and the closing brace. */
function end(front: Front, envelope: Envelope): string {
  const taken = new Set([...WRITTEN, ...Object.keys(wireParameters(ANTHROPIC, front, PARAMETERS))]);
  // A request that only writes the cache is refused as a stream (provider facts 1.1, pre-warm).
  const stream = envelope.outputLimit === 0 ? {} : { stream: true };
  return bodyEnd(ANTHROPIC, taken, { max_tokens: envelope.outputLimit, ...stream }, envelope);
}

/** `{"model", parameters, "tools", "system", "messages", "max_tokens", "stream", fields}`. */
const FORM: BodyForm = {
  service: ANTHROPIC,
  header,
  between,
  joins,
  systemIsMessage: false,
  end,
  // The 5 minute lifetime is the default and has no field.
  marks: { '5m': ',"cache_control":{"type":"ephemeral"}', '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}' },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: false,
};

// What stands between blocks depends on the two neighbours alone, so a body is the same however it was put together.
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

/** A block that is a message by itself. */
function isWhole({ head }: Block): boolean {
  return head.startsWith(LEVEL_PREFIX);
}

/** Fields that `/v1/messages/count_tokens` takes. It refuses what only generating needs. */
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

/** The same body with the fields that a count takes, each with its bytes as they were. */
export function tokenCountBody(body: Uint8Array): Uint8Array {
  return countBody(body, COUNTED);
}
