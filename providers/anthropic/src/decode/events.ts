// Checks the events and messages that Anthropic sends, and gives them types. Only the fields that are used are checked.
// All other fields are accepted.

import { MAX_TOKENS } from '@tidemark/provider-wire';
import { z } from 'zod';

type MessageCount = number | null | undefined;
type MessageWord = string | null | undefined;

/** Token counts as the API sends them. Any field may be missing or null. */
export interface MessageUsage {
  readonly input_tokens?: MessageCount;
  readonly output_tokens?: MessageCount;
  readonly cache_read_input_tokens?: MessageCount;
  readonly cache_creation_input_tokens?: MessageCount;
  readonly cache_creation?:
    | { readonly ephemeral_5m_input_tokens?: MessageCount; readonly ephemeral_1h_input_tokens?: MessageCount }
    | null
    | undefined;
  readonly output_tokens_details?: { readonly thinking_tokens?: MessageCount } | null | undefined;
}

/**
 * Result of the API's comparison with an earlier request. If `cache_miss_reason` is missing or null, the comparison is
 * still pending.
 */
export interface MessageWireDiagnostics {
  readonly cache_miss_reason?:
    | { readonly type?: MessageWord; readonly cache_missed_input_tokens?: MessageCount }
    | null
    | undefined;
}

/** A content block as its start event sends it, with all its fields. */
export interface WireBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A piece of a content block, as a delta event sends it. */
export interface WireDelta {
  readonly type: string;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly signature?: string | undefined;
  readonly partial_json?: string | undefined;
  readonly content?: MessageWord;
  readonly citation?: unknown;
}

/** A whole message: the answer to a call without streaming. */
export interface WholeMessage {
  readonly id?: MessageWord;
  readonly model?: MessageWord;
  readonly stop_reason?: MessageWord;
  readonly usage?: MessageUsage | null | undefined;
  readonly diagnostics?: MessageWireDiagnostics | null | undefined;
  readonly content: readonly WireBlock[];
}

/** The stream events that this decoder reads, by type. */
export interface MessageEvents {
  readonly message_start: { readonly message: Omit<WholeMessage, 'content'> };
  readonly content_block_start: { readonly index: number; readonly content_block: WireBlock };
  readonly content_block_delta: { readonly index: number; readonly delta: WireDelta };
  readonly content_block_stop: { readonly index: number };
  readonly message_delta: {
    readonly delta?: { readonly stop_reason?: MessageWord } | null | undefined;
    readonly usage?: MessageUsage | null | undefined;
  };
  readonly message_stop: object;
  readonly error: {
    readonly error?: { readonly type?: MessageWord; readonly message?: MessageWord } | null | undefined;
    readonly request_id?: MessageWord;
  };
}

/** Type of a stream event that this decoder reads. */
export type MessageEventType = keyof MessageEvents;

// An invalid count becomes `undefined` (unknown) instead of an error. So the rest of the answer is not lost.
const count: z.ZodType<MessageCount> = z.number().int().nonnegative().max(MAX_TOKENS).nullish().catch(undefined);
const name: z.ZodType<MessageWord> = z.string().nullish();
const index: z.ZodType<number> = z.number().int().nonnegative();

const usage: z.ZodType<MessageUsage> = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z
    .looseObject({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count })
    .nullish()
    .catch(undefined),
  output_tokens_details: z.looseObject({ thinking_tokens: count }).nullish().catch(undefined),
});

/**
 * If a comparison has an unknown form, it is dropped instead of causing an error. So the rest of the answer is not
 * lost.
 */
const diagnostics: z.ZodType<MessageWireDiagnostics | null | undefined> = z
  .looseObject({ cache_miss_reason: z.looseObject({ type: name, cache_missed_input_tokens: count }).nullish() })
  .nullish()
  .catch(undefined);

const block: z.ZodType<WireBlock> = z.looseObject({ type: z.string() });

const delta: z.ZodType<WireDelta> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  partial_json: z.string().optional(),
  content: name,
  citation: z.unknown().optional(),
});

const EVENTS: { readonly [T in MessageEventType]: z.ZodType<MessageEvents[T]> } = {
  message_start: z.looseObject({
    message: z.looseObject({ id: name, model: name, usage: usage.nullish().catch(undefined), diagnostics }),
  }),
  content_block_start: z.looseObject({ index: index, content_block: block }),
  content_block_delta: z.looseObject({ index: index, delta: delta }),
  content_block_stop: z.looseObject({ index: index }),
  message_delta: z.looseObject({
    delta: z.looseObject({ stop_reason: name }).nullish(),
    usage: usage.nullish().catch(undefined),
  }),
  message_stop: z.looseObject({}),
  error: z.looseObject({ error: z.looseObject({ type: name, message: name }).nullish(), request_id: name }),
};

const message: z.ZodType<WholeMessage> = z.looseObject({
  id: name,
  model: name,
  stop_reason: name,
  usage: usage.nullish().catch(undefined),
  diagnostics,
  content: z.array(block),
});

/**
 * True if this decoder reads events of the given type. The caller ignores all other types, because the API may add new
 * ones.
 */
export function isReadEvent(type: string): type is MessageEventType {
  return Object.hasOwn(EVENTS, type);
}

/**
 * Checks one event and returns it with its type.
 *
 * @throws ZodError when the event does not have the documented shape.
 */
export function readEvent<T extends MessageEventType>(type: T, data: unknown): MessageEvents[T] {
  return EVENTS[type].parse(data);
}

/**
 * Checks a whole message and returns it with its type.
 *
 * @throws ZodError when the message does not have the documented shape.
 */
export function readMessage(data: unknown): WholeMessage {
  return message.parse(data);
}

const counted: z.ZodType<{ readonly input_tokens: number }> = z.looseObject({ input_tokens: index });

/**
 * Returns the token count from an answer of the count endpoint.
 *
 * @throws ZodError when the answer does not have the documented shape.
 */
export function readCount(data: unknown): number {
  return counted.parse(data).input_tokens;
}
