// A span: one of the ordered pieces of context, before any provider's wire format.

import type { Json, RenderParameters } from '@tidemark/core';

import type { Part } from './parts.ts';

/** Who speaks. */
export type Role = 'system' | 'developer' | 'user' | 'assistant';

/** How long a span's bytes hold: the same everywhere, in a project, in a session. */
export type Stability = 'global' | 'project' | 'session';

/** Where a span comes from: an event of a log, or a layer of the contract (L4). */
export type Origin =
  | { readonly from: 'event'; readonly session: string; readonly position: number }
  | { readonly from: 'layer'; readonly layer: string; readonly revision: string };

/**
 * One span of context. Spans that share a `group` become one message; a message that was sent is never grown, so a
 * group is complete before its first request.
 */
export interface Span {
  readonly role: Role;
  readonly stability: Stability;
  readonly origin: Origin;
  /** Which span of its session in settled order, from 0: spans below the count that a request held were sent. */
  readonly ordinal: number;
  /** Position of the event that begins the message this span belongs to. */
  readonly group: number;
  /** True where a new turn of the user begins: no tool result (providers strip old thinking there). */
  readonly opensTurn: boolean;
  readonly parts: readonly Part[];
}

/** One tool, as the front lists it. `definition` is its canonical JSON: `{"description","name","schema"}`. */
export interface FrontToolDefinition {
  readonly name: string;
  readonly definition: string;
  readonly origin: Origin;
}

/** One text of the front's system part. */
export interface SystemText {
  readonly text: string;
  readonly stability: Stability;
  readonly origin: Origin;
  /** Tokens, where they are recorded rather than estimated. */
  readonly tokens?: number;
}

/** The frozen front of an epoch, with its texts loaded. */
export interface Front {
  readonly model: string;
  readonly parameters: RenderParameters;
  /** Ordered by name. */
  readonly tools: readonly FrontToolDefinition[];
  readonly system: readonly SystemText[];
}

/** A JSON value. */
export type JsonValue = Json;
