// Parsed Messages request: its fields, and its blocks in the provider's cache order.

import type { Capabilities } from '@tidemark/model';
import type { WireObject } from '../core/wire.ts';
import type { MessageRefusal } from '../core/refusal.ts';

/** Lifetimes that a marker can ask for. */
export type MarkerTtl = '5m' | '1h';

/** Parts of a request in cache order: tools, then system, then messages. */
export type Level = 'tools' | 'system' | 'messages';

/** Role of a message. Blocks of tools and of the system prompt have the role `system`. */
export type WireRole = 'user' | 'assistant' | 'system';

/** Content block or tool definition as the client sent it. */
export interface SentBlock {
  /** Index of the block in the list of all blocks: tools, then system, then messages. */
  readonly index: number;
  readonly level: Level;
  readonly role: WireRole;
  /** Index of the message that contains the block, or -1 for a block of tools or of the system prompt. */
  readonly message: number;
  /**
   * Index of the block within its message, within the tools or within the system prompt. It is -1 for a message's own
   * `output_config`.
   */
  readonly content: number;
  /** Type of the block in the request. It is `tool` for every tool. */
  readonly type: string;
  readonly fields: WireObject;
  readonly marker: MarkerTtl | undefined;
}

/** Message as the client sent it, with its blocks. */
export interface SentMessage {
  readonly role: WireRole;
  readonly fields: WireObject;
  readonly blocks: readonly SentBlock[];
}

/** Endpoint of a request: `messages` or `count`. Counting has no output, so a count request allows fewer fields. */
export type Purpose = 'messages' | 'count';

/** Parsed request. `fields` contains the whole body. */
export interface WireRequest {
  readonly purpose: Purpose;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly fields: WireObject;
  /** Value of `max_tokens`. It is 0 if the request has no `max_tokens`, for example if it only counts tokens. */
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly betas: readonly string[];
  /** Blocks of tools, system and messages in one list. */
  readonly blocks: readonly SentBlock[];
  readonly messages: readonly SentMessage[];
  /** Lifetime of the top-level `cache_control` marker, or `undefined` if the request has none. */
  readonly automatic: MarkerTtl | undefined;
}

/** Returns the path of a block in the form of the error texts, for example `messages.3.content.1`. */
export function pathOf(block: SentBlock): string {
  if (block.level === 'messages') return `messages.${block.message}.content.${block.content}`;
  return `${block.level}.${block.content}`;
}

/**
 * Type of the block that represents a message's own `output_config`. Such a block counts 0 tokens, but it is part of
 * the prefix because the model sees the setting.
 */
export const LEVEL = 'output_config';

/**
 * True if a block represents a message's own `output_config`. A content part that has this type is a different block.
 */
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

/**
 * True for a tool with `defer_loading`. The model sees such a tool only after a tool search finds it, so the tool is
 * not part of the prefix.
 */
export function isDeferred(block: SentBlock): boolean {
  return block.level === 'tools' && block.fields['defer_loading'] === true;
}

/** Rule that the service applies to a request. Returns a refusal, or `undefined` if the rule accepts the request. */
export type RequestRule = (request: WireRequest) => MessageRefusal | undefined;
