// A Messages request once it is known to have the shape of one: its fields, and its blocks in the provider's cache order.

import type { Capabilities } from '@tidemark/model';
import type { WireObject } from '../core/wire.ts';
import type { MessageRefusal } from '../core/refusal.ts';

/** Lifetimes that a marker can ask for. */
export type MarkerTtl = '5m' | '1h';

/** Parts of a request in cache order: tools, then system, then messages. */
export type Level = 'tools' | 'system' | 'messages';

/** Who speaks. Blocks of the front belong to the system. */
export type WireRole = 'user' | 'assistant' | 'system';

/** One block as it was sent. */
export interface SentBlock {
  /** Its running number over tools, system and messages, in wire order. */
  readonly index: number;
  readonly level: Level;
  readonly role: WireRole;
  /** Number of its message; -1 in the front. */
  readonly message: number;
  /** Number within its message, or within tools or system. */
  readonly content: number;
  /** The wire's type; `tool` for every tool. */
  readonly type: string;
  readonly fields: WireObject;
  readonly marker: MarkerTtl | undefined;
}

/** One message as it was sent. */
export interface SentMessage {
  readonly role: WireRole;
  readonly fields: WireObject;
  readonly blocks: readonly SentBlock[];
}

/** Which endpoint a request came to. Counting has no output, so its fields differ. */
export type Purpose = 'messages' | 'count';

/** A request with the shape of one. `fields` is the whole body. */
export interface WireRequest {
  readonly purpose: Purpose;
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly fields: WireObject;
  /** 0 when counting. */
  readonly maxTokens: number;
  readonly stream: boolean;
  readonly betas: readonly string[];
  /** Tools, system and messages in one list. */
  readonly blocks: readonly SentBlock[];
  readonly messages: readonly SentMessage[];
  /** The top-level marker, if any. */
  readonly automatic: MarkerTtl | undefined;
}

/** Where a block stands, as error texts name it: `messages.3.content.1`. */
export function pathOf(block: SentBlock): string {
  if (block.level === 'messages') return `messages.${block.message}.content.${block.content}`;
  return `${block.level}.${block.content}`;
}

/** The type under which a message's own `output_config` stands among the blocks: it renders nothing, and is shown. */
export const LEVEL = 'output_config';

/** Whether a block is a message's own `output_config`, which no content part can be. */
export function isLevel(block: SentBlock): boolean {
  return block.type === LEVEL && block.content === -1;
}

/** Whether a block offers a tool or withdraws one. */
export function isToolChange(block: SentBlock): boolean {
  return block.type === 'tool_addition' || block.type === 'tool_removal';
}

/** Whether a block holds reasoning, open or redacted. */
export function isThinking(block: SentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** A tool that only a tool search brings into the prefix (`defer_loading`). */
export function isDeferred(block: SentBlock): boolean {
  return block.level === 'tools' && block.fields['defer_loading'] === true;
}

/** A rule of the service. `undefined` means that it has nothing against this request. */
export type RequestRule = (request: WireRequest) => MessageRefusal | undefined;
