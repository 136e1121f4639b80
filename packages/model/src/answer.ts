// Provider-independent types of an answer: the parts of its stream and the finished answer.

import type { AnswerPart, StopReason, Usage } from '@tidemark/core';

/** Connection over which a call was sent. */
export interface Transport {
  readonly kind: 'http' | 'websocket';
  /** True if the request continued from an earlier answer and sent only the blocks after that answer. */
  readonly continuation?: boolean;
  /** Reason why the request was sent whole, although it could have continued from an earlier answer. */
  readonly reset?: string;
  /** Reason why the call used HTTP instead of the WebSocket that was configured. */
  readonly fallback?: string;
}

/**
 * Result of the provider's comparison of a request with the request of an earlier answer.
 *
 * - `same`: the request only extends the earlier one. The provider does not report if it read its cache.
 * - `hit`: the cache served the request.
 * - `miss`: the request differs from the earlier one. `reason` names the difference.
 * - `pending`: the comparison was not finished when the answer was sent.
 * - `unknown-response`: the provider no longer remembers the earlier answer.
 * - `unavailable`: the provider has no diagnosis, or no name for the difference.
 *
 * Sources: platform.claude.com, cache diagnostics; developers.openai.com, prompt cache diagnostics.
 */
export interface Diagnosis {
  readonly found: 'same' | 'hit' | 'miss' | 'pending' | 'unknown-response' | 'unavailable';
  /** The provider's name for the cause of a `miss`. */
  readonly reason?: string;
  /** For a `miss`: the provider's own estimate of the input tokens that could have been read from the cache. */
  readonly missed?: number;
}

/** A finished answer. */
export interface Answer {
  readonly parts: readonly AnswerPart[];
  readonly stop: StopReason;
  readonly stopRaw?: string;
  readonly response?: string;
  readonly model?: string;
  readonly truncated: 'yes' | 'no' | 'unknown';
  readonly usage: Usage;
  /** Connection that carried the call. Absent if the provider has only one kind of connection. */
  readonly transport?: Transport;
  /**
   * Result of the provider's comparison with an earlier request. Absent if the answer contains no such result.
   * Anthropic reports `same` even if no comparison was requested.
   */
  readonly diagnosis?: Diagnosis;
}

/** One part of a stream. `began` comes first and `finished` last. Between them, parts open, grow and close in order. */
export type StreamPart =
  | { readonly type: 'began'; readonly response?: string; readonly model?: string; readonly usage: Usage }
  | { readonly type: 'text.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'call.began'; readonly index: number; readonly call: string; readonly name: string }
  | { readonly type: 'call.delta'; readonly index: number; readonly arguments: string }
  | { readonly type: 'part'; readonly index: number; readonly part: AnswerPart }
  | { readonly type: 'finished'; readonly answer: Answer };
