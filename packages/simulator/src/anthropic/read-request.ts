// Reads the bytes of a Messages request. Returns the parsed request, or the refusal that the real service sends for a
// malformed request.

import { parseBody, TOO_DEEP } from '../core/body.ts';
import type { Capabilities } from '@tidemark/model';
import { invalid, refuse } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { LEVEL } from './request.ts';
import type { MarkerTtl, Purpose, SentBlock, SentMessage, WireRequest, WireRole } from './request.ts';
import { isPresent, isList, isObject, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';
import { readBlockMarker, readMarker } from './markers.ts';

/**
 * Maximum body size of the messages and count endpoints, in bytes: 32 MB. A gateway in front of the real service
 * enforces this limit (provider-facts §1.6).
 */
export const MAX_BYTES: number = 32_000_000;

/**
 * Values that `readRequest` needs in addition to the body, for example the endpoint, the beta headers and the
 * capabilities of each known model.
 */
export interface RequestReading {
  readonly purpose: Purpose;
  readonly betas: readonly string[];
  readonly capabilities: (model: string) => Capabilities | undefined;
  /** Adds the history of their thread to the fields. Returns the new fields or a refusal. */
  readonly expand: (fields: WireObject) => WireObject | MessageRefusal;
}

/**
 * Reads a whole body: JSON, fields, model and blocks. Returns a refusal if one of these is wrong. Rules that compare
 * blocks are checked after this, by `checkRules`.
 */
export function readRequest(body: Uint8Array, reading: RequestReading): WireRequest | MessageRefusal {
  if (body.byteLength > MAX_BYTES) return refuse(413, 'request_too_large', 'Request exceeds the maximum size');
  const read = parseBody(body);
  if (read === 'too-deep') return invalid(TOO_DEEP);
  const parsed = read?.value;
  if (!isObject(parsed)) return invalid('The request body is not valid JSON: expected an object');
  const wrong = checkFields(parsed, reading.purpose);
  if (wrong !== undefined) return wrong;
  const whole = reading.expand(parsed);
  if (isRefusal(whole)) return whole;
  const miscounted = messageCount(whole['messages']);
  if (miscounted !== undefined) return miscounted;
  const model = textOf(whole['model']);
  const capabilities = reading.capabilities(model);
  if (capabilities?.provider !== 'anthropic') return refuse(404, 'not_found_error', `model: ${model}`);
  return readBlocks(whole, model, capabilities, reading);
}

function isRefusal(value: WireObject | MessageRefusal): value is MessageRefusal {
  return value['outcome'] === 'refused';
}

function readBlocks(
  fields: WireObject,
  model: string,
  capabilities: Capabilities,
  reading: RequestReading,
): WireRequest | MessageRefusal {
  const automatic = readMarker(fields, '');
  if (typeof automatic === 'object') return automatic;
  const list: MessageBlocks = { blocks: [] };
  const front = readTools(fields['tools'], list) ?? readSystem(fields['system'], list);
  if (front !== undefined) return front;
  const messages = readMessages(fields['messages'], list);
  if (!isMessages(messages)) return messages;
  const maxTokens = fields['max_tokens'];
  return {
    purpose: reading.purpose,
    model,
    capabilities,
    fields,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 0,
    stream: fields['stream'] === true,
    betas: reading.betas,
    blocks: list.blocks,
    messages,
    automatic,
  };
}

interface MessageBlocks {
  readonly blocks: SentBlock[];
}

function isMessages(value: readonly SentMessage[] | MessageRefusal): value is readonly SentMessage[] {
  return Array.isArray(value);
}

function readTools(tools: unknown, list: MessageBlocks): MessageRefusal | undefined {
  for (const [content, tool] of (isList(tools) ? tools : []).entries()) {
    const wrong = addBlock(
      list,
      { level: 'tools', role: 'system', message: -1, content, path: `tools.${content}` },
      tool,
    );
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function readSystem(system: unknown, list: MessageBlocks): MessageRefusal | undefined {
  const texts = typeof system === 'string' ? [{ type: 'text', text: system }] : isList(system) ? system : [];
  for (const [content, text] of texts.entries()) {
    const place: BlockPlace = { level: 'system', role: 'system', message: -1, content, path: `system.${content}` };
    const wrong = addBlock(list, place, text);
    if (wrong !== undefined) return wrong;
    if (list.blocks.at(-1)?.type !== 'text') return invalid(`${place.path}.type: Input should be 'text'`);
  }
  return undefined;
}

function readMessages(value: unknown, list: MessageBlocks): readonly SentMessage[] | MessageRefusal {
  const messages: SentMessage[] = [];
  for (const [index, fields] of (isList(value) ? value : []).entries()) {
    if (!isObject(fields)) return invalid(`messages.${index}: Input should be a valid dictionary`);
    const role = readRole(fields['role']);
    if (role === undefined) return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    const first = list.blocks.length;
    const wrong = readContent(contentOf(fields, role), role, index, list);
    if (wrong !== undefined) return wrong;
    addLevel(fields, role, index, list);
    messages.push({ role, fields, blocks: list.blocks.slice(first) });
  }
  return messages;
}

/** A system message that sets the effort needs no content (SDK: `BetaSystemMessageParam`). */
function contentOf({ content, output_config: config }: WireObject, role: WireRole): unknown {
  return role === 'system' && isPresent(config) ? (content ?? []) : content;
}

function addLevel({ output_config: config }: WireObject, role: WireRole, message: number, list: MessageBlocks): void {
  if (role !== 'system' || !isObject(config)) return;
  const place = { level: 'messages', role, message, content: -1, type: LEVEL } as const;
  list.blocks.push({ index: list.blocks.length, ...place, fields: config, marker: undefined });
}

function readRole(role: unknown): WireRole | undefined {
  return role === 'user' || role === 'assistant' || role === 'system' ? role : undefined;
}

function readContent(
  content: unknown,
  role: WireRole,
  message: number,
  list: MessageBlocks,
): MessageRefusal | undefined {
  if (content === undefined) return invalid(`messages.${message}.content: Field required`);
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!isList(parts)) return invalid(`messages.${message}.content: Input should be a valid list`);
  for (const [i, part] of parts.entries()) {
    const place: BlockPlace = {
      level: 'messages',
      role,
      message,
      content: i,
      path: `messages.${message}.content.${i}`,
    };
    const wrong = addBlock(list, place, part);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

type BlockPlace = Pick<SentBlock, 'level' | 'role' | 'message' | 'content'> & { readonly path: string };

function addBlock(list: MessageBlocks, place: BlockPlace, fields: unknown): MessageRefusal | undefined {
  if (!isObject(fields)) return invalid(`${place.path}: Input should be a valid dictionary`);
  const { level, role, message, content } = place;
  const type = level === 'tools' ? 'tool' : fields['type'];
  if (typeof type !== 'string') return invalid(`${place.path}.type: Field required`);
  const marker: MarkerTtl | undefined | MessageRefusal = readBlockMarker(fields, place.path);
  if (typeof marker === 'object') return marker;
  list.blocks.push({ index: list.blocks.length, level, role, message, content, type, fields, marker });
  return undefined;
}

// Checks the fields at the top level of a body: known fields, required fields and their types (provider-facts §1.6
// "strict").

const SHARED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'];

const BETA = ['context_management', 'mcp_servers', 'compaction', 'output_format', 'billing_policy'];

const COUNTED = [...SHARED, ...BETA, 'speed'];

const KNOWN: { readonly [purpose in Purpose]: ReadonlySet<string> } = {
  count: new Set(COUNTED),
  messages: new Set([
    ...COUNTED,
    'max_tokens',
    'stream',
    'metadata',
    'stop_sequences',
    'temperature',
    'top_p',
    'top_k',
    'service_tier',
    'inference_geo',
    'container',
    'diagnostics',
    'thread',
    'fallbacks',
    'fallback_credit_token',
  ]),
};

const MAX_MESSAGES = 100_000;

function checkFields(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  return missing(fields, purpose) ?? unknownField(fields, purpose) ?? wrongKind(fields);
}

function missing(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  const required =
    purpose === 'count' ? (['model', 'messages'] as const) : (['model', 'max_tokens', 'messages'] as const);
  const absent = required.find((name) => fields[name] === undefined);
  return absent === undefined ? undefined : invalid(`${absent}: Field required`);
}

function unknownField(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  const extra = Object.keys(fields).find((name) => !KNOWN[purpose].has(name));
  return extra === undefined ? undefined : invalid(`${extra}: Extra inputs are not permitted`);
}

function wrongKind(fields: WireObject): MessageRefusal | undefined {
  const { model, messages, system, tools, stream } = fields;
  if (typeof model !== 'string') return invalid('model: Input should be a valid string');
  if (!isList(messages)) return invalid('messages: Input should be a valid list');
  if (isPresent(tools) && !isList(tools)) return invalid('tools: Input should be a valid list');
  if (isPresent(system) && typeof system !== 'string' && !isList(system))
    return invalid('system: Input should be a valid list');
  if (isPresent(stream) && typeof stream !== 'boolean') return invalid('stream: Input should be a valid boolean');
  const object = (['tool_choice', 'thinking', 'output_config', 'cache_control', 'diagnostics'] as const).find(
    (name) => isPresent(fields[name]) && !isObject(fields[name]),
  );
  return object === undefined ? undefined : invalid(`${object}: Input should be a valid dictionary`);
}

function messageCount(messages: unknown): MessageRefusal | undefined {
  const length = isList(messages) ? messages.length : 0;
  if (length === 0) return invalid('messages: at least one message is required');
  if (length <= MAX_MESSAGES) return undefined;
  return invalid(`messages: List should have at most ${MAX_MESSAGES} items after validation, not ${length}`);
}
