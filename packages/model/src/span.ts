// Span: one of the ordered pieces of context, before it is converted to a provider's wire format.

import type { Json, RenderParameters } from '@tidemark/core';

import type { Part } from './parts.ts';

/** Author of a message, by the names that providers use. */
export type Role = 'system' | 'developer' | 'user' | 'assistant';

/** Range in which the bytes of a span stay the same: everywhere, in one project, or in one session. */
export type Stability = 'global' | 'project' | 'session';

/** Source of a span: an event of a log, or a layer of the contract (L4). */
export type Origin =
  | { readonly from: 'event'; readonly session: string; readonly position: number }
  | { readonly from: 'layer'; readonly layer: string; readonly revision: string };

/**
 * One span of context. Spans with the same `group` become one message. A message that was sent never grows, so a group
 * must be complete before its first request.
 */
export interface Span {
  readonly role: Role;
  readonly stability: Stability;
  readonly origin: Origin;
  /**
   * Index of the span in its session, from 0. Spans are counted in settled order, which is the order in which they are
   * sent. A span was sent if its ordinal is lower than the span count of an earlier request.
   */
  readonly ordinal: number;
  /** Position of the event that begins the message of this span. */
  readonly group: number;
  /**
   * True if a new user turn begins at this span. Never true for a tool result. Providers strip old thinking at a new
   * user turn.
   */
  readonly opensTurn: boolean;
  readonly parts: readonly Part[];
}

/** One tool of the front. `definition` is its canonical JSON: `{"description","name","schema"}`. */
export interface FrontToolDefinition {
  readonly name: string;
  readonly definition: string;
  readonly origin: Origin;
}

/** One system text of the front. */
export interface SystemText {
  readonly text: string;
  readonly stability: Stability;
  readonly origin: Origin;
  /** Recorded token count. Absent if the tokens are estimated. */
  readonly tokens?: number;
}

/** The front of an epoch, with its texts loaded. It does not change during the epoch. */
export interface Front {
  readonly model: string;
  readonly parameters: RenderParameters;
  /** Tools, ordered by name. */
  readonly tools: readonly FrontToolDefinition[];
  readonly system: readonly SystemText[];
}

/** A JSON value. */
export type JsonValue = Json;
