// What prompts, results and answers are made of, as the log keeps it. Large or binary bytes stand outside, as
// artifacts named by digest.

import type { CallId, Digest } from './ids.ts';
import type { Json } from '@tidemark/core';

/** Plain text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** An image, its bytes kept once as an artifact. */
export interface ImagePart {
  readonly type: 'image';
  readonly artifact: Digest;
  /** IANA media type: `image/png`. */
  readonly mediaType: string;
  /** Size of the decoded bytes. */
  readonly bytes: number;
  /** Pixels, where known: what a provider counts an image by. */
  readonly width?: number;
  readonly height?: number;
}

/** A file that the prompt names; its content is read by a tool, or stands in an artifact. */
export interface FilePart {
  readonly type: 'file';
  readonly path: string;
  readonly artifact?: Digest;
}

/** What a person, a tool or a note says. */
export type ContentPart = TextPart | ImagePart | FilePart;

/** Reasoning: the provider's opaque item, verbatim, and its plain twin for people (may be empty). */
export interface ReasoningPart {
  readonly type: 'reasoning';
  /** The wire item exactly as it was streamed, as raw JSON text; absent when the source kept none. */
  readonly opaque?: string;
  readonly text: string;
}

/** Text of an answer. */
export interface AnswerText extends TextPart {
  /** What the provider says its place in the answer is (commentary, the final answer): sent back as it came. */
  readonly phase?: string;
}

/** A tool call. */
export interface CallPart {
  readonly type: 'call';
  readonly call: CallId;
  readonly name: string;
  /** The arguments as the raw text that was streamed: parsing and printing again would change bytes. */
  readonly arguments: string;
}

/** Any other block of an answer, verbatim and bound to its provider, with a plain twin for people. */
export interface NativePart {
  readonly type: 'native';
  readonly provider: string;
  /** The wire item as raw JSON text. */
  readonly item: string;
  readonly text: string;
}

/** What a model answers, in arrival order. */
export type AnswerPart = AnswerText | ReasoningPart | CallPart | NativePart;

/** Tokens written to the cache with one lifetime. */
export interface CacheWrite {
  readonly ttl: '5m' | '1h' | '30m' | '12h';
  readonly tokens: number;
}

/**
 * Tokens of one call in disjoint buckets (L7). An absent field is unknown, never 0. The input of a call is
 * `fresh + read + Σ writes`, else `input`; `answer` excludes `reasoning` where the provider tells them apart.
 */
export interface Usage {
  readonly fresh?: number;
  readonly read?: number;
  readonly writes?: readonly CacheWrite[];
  /** All input tokens, as the provider counted them. Present only where the buckets do not tell it. */
  readonly input?: number;
  /** Tokens written with lifetimes that the provider did not tell. Present only where `writes` is absent. */
  readonly written?: number;
  readonly answer?: number;
  readonly reasoning?: number;
}

/** Settings that enter a provider's cache key beside the text: part of the prefix sequence (L3). */
export type RenderParameters = { readonly [name: string]: Json };
