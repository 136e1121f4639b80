// Types of one exchange with a model: the parts of messages and answers, the reason why an answer ended, its usage, and
// the parameters of the request. `log` stores these values and `model` sends them, so both use these types.

import type { Json } from './json/canonical-json.ts';

/** Text in a prompt, a tool result or an answer. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Text in an answer, with its role in the answer if the provider names one. */
export interface AnswerText extends TextPart {
  /**
   * Name that the provider gives to the role of the text, such as commentary or final answer. It is sent back unchanged.
   */
  readonly phase?: string;
}

/**
 * An image. Its bytes are stored only one time, as an artifact. `Artifact` is the type of the digest: a branded type in
 * stored records, otherwise `string`.
 */
export interface ImagePart<Artifact extends string = string> {
  readonly type: 'image';
  /** SHA-256 of the decoded bytes, in lower-case hex. */
  readonly artifact: Artifact;
  /** IANA media type, such as `image/png`. */
  readonly mediaType: string;
  /** Size of the decoded image in bytes. */
  readonly bytes: number;
  /** Width in pixels. Absent if unknown. Providers count an image by its pixels. */
  readonly width?: number;
  /** Height in pixels. Absent if unknown. */
  readonly height?: number;
}

/** Reasoning of a model: the provider's opaque item, and readable text for people. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  /**
   * The wire item exactly as it was streamed, as raw JSON text. Absent if the source of the answer did not keep the
   * item.
   */
  readonly opaque?: string;
  /** Readable text. May be empty. */
  readonly text: string;
}

/**
 * A tool call. `Id` is the type of the call id: a branded type in stored records, otherwise `string`. Some providers
 * send an empty id.
 */
export interface CallPart<Id extends string = string> {
  readonly type: 'call';
  readonly call: Id;
  readonly name: string;
  /** The arguments as the raw text that was streamed. Parsing the text and printing it again would change its bytes. */
  readonly arguments: string;
}

/**
 * Part of an answer that is not text, reasoning or a tool call. It is stored unchanged and can be sent back only to the
 * same provider.
 */
export interface NativePart {
  readonly type: 'native';
  readonly provider: string;
  /** The wire item as raw JSON text. */
  readonly item: string;
  /** Readable text. May be empty. */
  readonly text: string;
}

/** One part of an answer. An answer lists its parts in arrival order. */
export type AnswerPart<Id extends string = string> = AnswerText | ReasoningPart | CallPart<Id> | NativePart;

/**
 * Reason why an answer ended. `end`: the model had finished. `calls`: the model waits for the results of its calls.
 * `length`: the output limit was reached. `sequence`: a stop sequence was produced. `pause`: the provider paused the
 * answer, and the next request continues it. `refusal`: the model or the provider refused. `window`: the context window
 * was full. `other`: any other reason. `stopRaw` next to this field contains the provider's own name.
 */
export type StopReason = 'end' | 'calls' | 'length' | 'sequence' | 'pause' | 'refusal' | 'window' | 'other';

/** Lifetime of a cache entry. Providers offer these four values. */
export type Ttl = '5m' | '1h' | '30m' | '12h';

/** Number of tokens that one call wrote to the cache with one lifetime. */
export interface CacheWrite {
  readonly ttl: Ttl;
  readonly tokens: number;
}

/**
 * Tokens of one call in disjoint buckets (L7). Each input token is fresh, read or written, and is counted in only one
 * bucket. An absent field is unknown, never 0. The total input of a call is `fresh + read + Σ writes`, or `input` if a
 * bucket is unknown.
 */
export interface Usage {
  /** Input tokens that were not read from the cache and not written to it. */
  readonly fresh?: number;
  /** Input tokens that were read from the cache. */
  readonly read?: number;
  /** Input tokens that were written to the cache, by lifetime. */
  readonly writes?: readonly CacheWrite[];
  /** All input tokens, as the provider counted them. Present only if the total cannot be computed from the buckets. */
  readonly input?: number;
  /** Tokens written with lifetimes that the provider did not report. Present only if `writes` is absent. */
  readonly written?: number;
  /** Output tokens. Excludes `reasoning` if the provider counts reasoning separately. */
  readonly answer?: number;
  /** Output tokens of reasoning. */
  readonly reasoning?: number;
}

/**
 * Settings of a request that are part of the provider's cache key, in addition to the text of the request. They are
 * part of the prefix sequence (L3).
 */
export type RenderParameters = { readonly [name: string]: Json };
