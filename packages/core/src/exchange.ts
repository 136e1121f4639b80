// One exchange with a model, in the words that `log` stores and `model` sends: the parts of messages and answers, the reason
// why an answer ended, its usage, and the parameters of the request.

import type { Json } from './json/canonical-json.ts';

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Text of an answer. */
export interface AnswerText extends TextPart {
  /** The provider's name for the place of this text in the answer (commentary, the final answer). It is sent back unchanged. */
  readonly phase?: string;
}

/** An image. Its bytes are kept once, as an artifact. `Artifact` is the branded digest in stored records. */
export interface ImagePart<Artifact extends string = string> {
  readonly type: 'image';
  /** SHA-256 of the decoded bytes, in lower-case hex. */
  readonly artifact: Artifact;
  /** IANA media type: `image/png`. */
  readonly mediaType: string;
  /** Size of the decoded bytes. */
  readonly bytes: number;
  /** Width in pixels; absent where it is unknown. Providers count an image by its pixels. */
  readonly width?: number;
  /** Height in pixels; absent where it is unknown. */
  readonly height?: number;
}

/** Reasoning: the provider's opaque item, and its text for people. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  /** The wire item exactly as it was streamed, as raw JSON text; absent where the source kept none. */
  readonly opaque?: string;
  /** The readable text. May be empty. */
  readonly text: string;
}

/** A tool call. `Id` is the branded call id in stored records; a provider may send an empty one. */
export interface CallPart<Id extends string = string> {
  readonly type: 'call';
  readonly call: Id;
  /** Name of the tool. */
  readonly name: string;
  /** The arguments as the raw text that was streamed: parsing and printing again would change bytes. */
  readonly arguments: string;
}

/** Any other block of an answer, unchanged and bound to its provider. */
export interface NativePart {
  readonly type: 'native';
  readonly provider: string;
  /** The wire item as raw JSON text. */
  readonly item: string;
  /** The readable text. May be empty. */
  readonly text: string;
}

/** One part of an answer. An answer lists its parts in arrival order. */
export type AnswerPart<Id extends string = string> = AnswerText | ReasoningPart | CallPart<Id> | NativePart;

/** Why an answer ended. `stopRaw` next to it holds the provider's own word. */
export type StopReason = 'end' | 'calls' | 'length' | 'sequence' | 'pause' | 'refusal' | 'window' | 'other';

/** Lifetimes of cache entries that a provider sells. */
export type Ttl = '5m' | '1h' | '30m' | '12h';

/** Tokens written to the cache with one lifetime. */
export interface CacheWrite {
  readonly ttl: Ttl;
  readonly tokens: number;
}

/**
 * Tokens of one call in disjoint buckets (L7): each token of the input is fresh, read or written, and counts in one bucket
 * only. An absent field is unknown, never 0. The input of a call is `fresh + read + Σ writes`, else `input`.
 */
export interface Usage {
  /** Input tokens that were neither read from the cache nor written to it. */
  readonly fresh?: number;
  /** Input tokens that were read from the cache. */
  readonly read?: number;
  /** Input tokens that were written to the cache, by lifetime. */
  readonly writes?: readonly CacheWrite[];
  /** All input tokens, as the provider counted them. Present only where the buckets do not give the sum. */
  readonly input?: number;
  /** Tokens written with lifetimes that the provider did not report. Present only where `writes` is absent. */
  readonly written?: number;
  /** Output tokens; without `reasoning` where the provider counts both. */
  readonly answer?: number;
  /** Output tokens of reasoning. */
  readonly reasoning?: number;
}

/** Settings that enter a provider's cache key in addition to the text: part of the prefix sequence (L3). */
export type RenderParameters = { readonly [name: string]: Json };
