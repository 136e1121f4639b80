// Parts of a span, in the form that a model sees. The bytes of images are looked up by digest when a span is lowered.

import type { AnswerText, CallPart, ImagePart, NativePart, ReasoningPart, TextPart } from '@tidemark/core';

/** Reasoning in a span, bound to the provider and the model that wrote it. */
export interface BoundReasoningPart extends ReasoningPart {
  readonly provider: string;
  readonly model: string;
  /**
   * True if an earlier part of the same answer is omitted from the request. The model wrote the reasoning after that
   * part. In the request, the text before the reasoning is therefore different.
   */
  readonly displaced?: boolean;
  /**
   * True if the next part of the answer is omitted from the request, or is sent with another id. This part comes
   * directly after the reasoning.
   */
  readonly torn?: boolean;
}

/** Result of one call. It closes the call. */
export interface ResultPart {
  readonly type: 'result';
  readonly call: string;
  readonly error: boolean;
  readonly content: readonly (TextPart | ImagePart)[];
}

/**
 * Changes the reasoning level from this point of the history on. The change is sent in the history and overrides the
 * level in the front.
 */
export interface ReasoningChange {
  readonly type: 'change';
  readonly change: 'reasoning';
  /** Reasoning level, by the provider's own name. */
  readonly setting: string;
}

/**
 * Changes the offered tools from this point of the history on. The change is sent in the history and overrides the tool
 * list in the front.
 */
export interface ToolsChange {
  readonly type: 'change';
  readonly change: 'tools';
  readonly added: readonly AddedTool[];
  /** Names of tools that are no longer offered. */
  readonly removed: readonly string[];
}

/** A tool that is offered from this point on. If the name is already offered, its definition is replaced. */
export interface AddedTool {
  readonly name: string;
  /** Digest of the tool's canonical definition. Lowering looks up its bytes in the materials. */
  readonly definition: string;
  /**
   * True if this definition is already the latest one for the name, in the front or in the history. In this case, the
   * definition does not have to be sent again.
   */
  readonly known?: boolean;
}

/**
 * Replaces the agent's own system text from this point of the history on. The new text is sent in the history, because
 * the front keeps the old text.
 */
export interface RoleChange {
  readonly type: 'change';
  readonly change: 'role';
  /** System text for the model. Never blank. */
  readonly text: string;
}

/** A change of a setting or text of the front. It is sent in the history, so that the front stays unchanged. */
export type ChangePart = ReasoningChange | ToolsChange | RoleChange;

/** Any part that a span can contain. */
export type Part = AnswerText | ImagePart | BoundReasoningPart | CallPart | NativePart | ResultPart | ChangePart;
