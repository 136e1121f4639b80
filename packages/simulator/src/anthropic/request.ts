// Parsed Messages request: its fields, and its blocks in the provider's cache order.

import type { Capabilities } from '@tidemark/model';
import type { WireObject } from '../core/wire.ts';
import type { MessageRefusal } from '../core/refusal.ts';

/** Lifetimes that a marker can ask for. */
export type MarkerTtl = '5m' | '1h';

/** Parts of a request in cache order: tools, then system, then messages. */
export type Level = 'tools' | 'system' | 'messages';

/** Role of a message. Blocks of the front have the role `system`. */
export type WireRole = 'user' | 'assistant' | 'system';

/** Block as the client sent it. */
export interface SentBlock {
  /** Index over tools, system and messages, in wire order. */
  readonly index: number;
  readonly level: Level;
  readonly role: WireRole;
  /** Index of the message that contains the block, or -1 in the front. */
  readonly message: number;
  /** Index within the message, or within tools or system. */
  readonly content: number;
  /** Type on the wire. It is `tool` for every tool. */
  readonly type: string;
  readonly fields: WireObject;
  readonly marker: MarkerTtl | undefined;
}

/** Message as the client sent it. */
export interface SentMessage {
  readonly role: WireRole;
  readonly fields: WireObject;
  readonly blocks: readonly SentBlock[];
}

/** Endpoint of a request. Counting has no output, so its fields differ. */
export type Purpose = 'messages' | 'count';

/** Parsed request. `fields` is the whole body. */
export interface WireRequest {
  readonly purpose: Purpose;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly fields: WireObject;
  /** Value of `max_tokens`, or 0 when counting. */
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly betas: readonly string[];
  /** Blocks of tools, system and messages in one list. */
  readonly blocks: readonly SentBlock[];
  readonly messages: readonly SentMessage[];
  /** Lifetime of the top-level marker, if there is one. */
  readonly automatic: MarkerTtl | undefined;
}

/** Returns the path of a block as error texts write it, for example `messages.3.content.1`. */
export function pathOf(block: SentBlock): string {
  if (block.level === 'messages') return `messages.${block.message}.content.${block.content}`;
  return `${block.level}.${block.content}`;
}

/**
 * Block type for a message's own `output_config`. Such a block counts 0 tokens, but it is part of the prefix because
 * the model sees the setting.
 */
export const LEVEL = 'output_config';

/** True if a block is a message's own `output_config`. A content part of the same type is not. */
export function isLevel(block: SentBlock): boolean {
  return block.type === LEVEL && block.content === -1;
}

/** True if a block adds or removes a tool. */
export function isToolChange(block: SentBlock): boolean {
  return block.type === 'tool_addition' || block.type === 'tool_removal';
}

/** True if a block contains reasoning, readable or redacted. */
export function isThinking(block: SentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** True for a tool with `defer_loading`, which enters the prefix only through a tool search. */
export function isDeferred(block: SentBlock): boolean {
  return block.level === 'tools' && block.fields['defer_loading'] === true;
}

/** Rule of the service. Returns a refusal, or `undefined` if the rule accepts the request. */
export type RequestRule = (request: WireRequest) => MessageRefusal | undefined;
