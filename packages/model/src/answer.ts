// An answer as it streams and as it stands when finished, in the terms of no particular provider.

import type { AnswerPart } from './parts.ts';
import type { Usage } from './usage.ts';

/** Why an answer ended. `stopRaw` beside it keeps the provider's word. */
export type StopReason = 'end' | 'calls' | 'length' | 'sequence' | 'pause' | 'refusal' | 'window' | 'other';

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
