// An answer as it streams and as it stands when finished, in the terms of no particular provider.

import type { AnswerPart, StopReason, Usage } from '@tidemark/core';

/** Which way a call went. */
export interface Transport {
  readonly kind: 'http' | 'websocket';
  /** Whether it went out as one that goes on from an earlier answer. */
  readonly continuation?: boolean;
  /** Why it did not, although there was an earlier answer. */
  readonly reset?: string;
  /** Why it went over HTTP, although it was to go another way. */
  readonly fallback?: string;
}

/**
 * What the provider says of a request that it compared with the one of an earlier answer. `same`: it only grew; whether
 * anything was read is another question. `hit`: its cache served it. `miss`: it changed, in what `reason` names.
 * `pending`: the comparison was not done when the answer was sent. `unknown-response`: it does not remember the earlier
 * one. `unavailable`: it has no diagnosis, or no word for what changed. Sources: platform.claude.com, cache diagnostics;
 * developers.openai.com, prompt cache diagnostics.
 */
export interface Diagnosis {
  readonly found: 'same' | 'hit' | 'miss' | 'pending' | 'unknown-response' | 'unavailable';
  /** The provider's own word, of a `miss`. */
  readonly reason?: string;
  /** Tokens that it says could have been read, of a `miss`; an estimate of its own. */
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
  /** Absent where a provider knows one way alone. */
  readonly transport?: Transport;
  /** Absent where the answer tells none. Anthropic's says `same` also where no comparison was asked for. */
  readonly diagnosis?: Diagnosis;
}

/** One piece of a stream. `began` comes first, `finished` last; between them parts open, grow and close in order. */
export type StreamPart =
  | { readonly type: 'began'; readonly response?: string; readonly model?: string; readonly usage: Usage }
  | { readonly type: 'text.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly index: number; readonly text: string }
  | { readonly type: 'call.began'; readonly index: number; readonly call: string; readonly name: string }
  | { readonly type: 'call.delta'; readonly index: number; readonly arguments: string }
  | { readonly type: 'part'; readonly index: number; readonly part: AnswerPart }
  | { readonly type: 'finished'; readonly answer: Answer };
