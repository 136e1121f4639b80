// What spans are made of, as a model sees them. Bytes of images are looked up by digest when a span is lowered.

import type { AnswerText, CallPart, ImagePart, NativePart, ReasoningPart, TextPart } from '@tidemark/core';

/** Reasoning in a span, bound to the provider and the model that wrote it. */
export interface BoundReasoningPart extends ReasoningPart {
  readonly provider: string;
  readonly model: string;
  /** Something that stood before it in its answer is left out of packing: its prefix is no longer the one it came in. */
  readonly displaced?: boolean;
  /** What came right behind it in its answer is left out of packing, or goes by another id. */
  readonly torn?: boolean;
}

/** The closing of one call. */
export interface ResultPart {
  readonly type: 'result';
  readonly call: string;
  readonly error: boolean;
  readonly content: readonly (TextPart | ImagePart)[];
}

/** How much the model reasons from here on: said inside the history, where the front says otherwise. */
export interface ReasoningChange {
  readonly type: 'change';
  readonly change: 'reasoning';
  /** The level, by the provider's own name for it. */
  readonly setting: string;
}

/** Which tools the model is offered from here on: said inside the history, where the front says otherwise. */
export interface ToolsChange {
  readonly type: 'change';
  readonly change: 'tools';
  readonly added: readonly AddedTool[];
  /** Names that are offered no longer. */
  readonly removed: readonly string[];
}

/** One tool that is offered from here on. A name that is offered already is given another definition. */
export interface AddedTool {
  readonly name: string;
  /** Digest of its canonical definition: the bytes are among the materials. */
  readonly definition: string;
  /** Set where the last definition of that name, in the front or behind it, is this one: it need not be sent again. */
  readonly known?: boolean;
}

/** The agent's own system text from here on: sent inside the history, where the front holds another one. */
export interface RoleChange {
  readonly type: 'change';
  readonly change: 'role';
  /** The words for the model. Never blank. */
  readonly text: string;
}

/** A change of what the front says, appended instead of edited. */
export type ChangePart = ReasoningChange | ToolsChange | RoleChange;

/** Everything that a span can hold. */
export type Part = AnswerText | ImagePart | BoundReasoningPart | CallPart | NativePart | ResultPart | ChangePart;
