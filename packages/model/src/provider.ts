// The provider port: how spans become bytes, and bytes an answer. Encoding is pure; only `send` touches the world.

import type { StreamPart } from './answer.ts';
import type { AbortSignalLike, AnswerPart } from '@tidemark/core';
import type { Block, Marker } from './block.ts';
import type { RefusedPlace } from './errors.ts';
import type { Capabilities } from './capabilities.ts';
import type { NewHash } from './hash.ts';
import type { Front, JsonValue, Span } from './span.ts';

/** Bytes that a span names by digest, loaded before it is lowered. */
export type Materials = (digest: string) => Uint8Array | undefined;

/** What lowering needs to know beside the spans. */
export interface Lowering {
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly materials: Materials;
  /** Estimates tokens of a text, by class of characters. */
  readonly estimate: (text: string) => number;
}

/** What a request carries beside its blocks. */
export interface Envelope {
  /** `max_tokens`, whatever the provider calls it. */
  readonly outputLimit: number;
  /** What varies by call and is no part of the prefix. */
  readonly fields: { readonly [name: string]: JsonValue };
  readonly betas: readonly string[];
}

/** The frozen beginning of a body, lowered once per epoch. */
export interface LoweredFront {
  readonly front: Front;
  /** Tools, then system texts. */
  readonly blocks: readonly Block[];
  /** Canonical JSON of what enters the cache key beside the blocks: model and render parameters. */
  readonly parameters: string;
}

/**
 * A body in the making. It keeps the bytes that no later request of its stream can change, and their hash state, so that
 * the next body costs what is new.
 */
export interface BodyWriter {
  /**
   * The body for all blocks so far with these markers: first the blocks of the front, then those of the messages, and
   * marker indexes count over both. `blocks` must extend what was given before; the body is the caller's to keep.
   *
   * @throws ProviderError `provider/unclosed-history` when a result stands without its call or the reverse.
   */
  write(
    blocks: readonly Block[],
    markers: readonly Marker[],
    envelope: Envelope,
  ): { readonly body: Uint8Array; readonly digest: string };
  /** The digest that `write` would give, at the cost of what is new: no body is copied. Throws as `write` does. */
  digest(blocks: readonly Block[], markers: readonly Marker[], envelope: Envelope): string;
  /**
   * The body of the same request as one that goes on from an earlier answer: the front's tools, all parameters, and of the
   * messages only what stands behind that answer. Absent where the API knows no such request. `write` or `digest` is to be
   * called with the same blocks first: this one does not look at what came before.
   */
  writeBehind?(
    answered: Answered,
    blocks: readonly Block[],
    markers: readonly Marker[],
    envelope: Envelope,
  ): { readonly body: Uint8Array; readonly digest: string };
}

/** The answer that a request goes on from. */
export interface Answered {
  /** The provider's id of it. */
  readonly response: string;
  /** Index of the first block behind it. */
  readonly from: number;
}

/** The pure half of a provider: one encoder revision. Its bytes never change once released. */
export interface Encoder {
  /** `anthropic-messages/1`: recorded in every request, so that `verify` uses the same one. */
  readonly revision: string;
  /** What of a row's `appends` its wire format has a form for; absent is all of it. */
  readonly appends?: Capabilities['appends'];
  lowerFront(front: Front, lowering: Lowering): LoweredFront;
  /**
   * Blocks of one span; none for what is left out of packing (blank text, a trailing reasoning block, reasoning of
   * another model).
   *
   * @throws ProviderError `provider/invalid` when a byte it needs is not among the materials.
   */
  lowerSpan(span: Span, lowering: Lowering): readonly Block[];
  /** Fields of the envelope that tell the provider's routing which requests share a prefix; absent where it has none. */
  routing?(cacheKey: string, capabilities: Capabilities): Envelope['fields'];
  /**
   * Fields of the envelope that ask the provider to compare the request with the one of an earlier answer, by the id of
   * that answer; without one, to remember it for the next. Absent where its API compares none.
   */
  comparing?(previous: string | undefined, capabilities: Capabilities): Envelope['fields'];
  /**
   * Whether a block says what this part of an answer said, exactly as it was received: a request may then go on from the
   * answer by its id. Absent where the API knows no such request.
   */
  echoes?(part: AnswerPart, block: Block): boolean;
  /**
   * The smallest output limit that a request with these parameters may ask for; 0 where the provider then writes its cache
   * and answers nothing. `undefined`, or no such function: no small one is known.
   */
  leastOutput?(parameters: Front['parameters'], capabilities: Capabilities): number | undefined;
  /** Indexes of the blocks that stand at a place of the body which a provider refuses; none where nothing stands there. */
  locate?(place: RefusedPlace, blocks: readonly Block[]): readonly number[];
  /** Begins a body. The hash is SHA-256 of the body's bytes. */
  join(front: LoweredFront, newHash: NewHash): BodyWriter;
}

/** What goes out: exactly these bytes. */
export interface Outgoing {
  readonly body: Uint8Array;
  readonly betas: readonly string[];
  readonly signal?: AbortSignalLike;
  /** The output limit of the body, in tokens: what comes back is bounded by it. */
  readonly outputLimit?: number;
  /** Names the calls of which each goes on from the one before: a provider may keep a connection for them. */
  readonly lane?: string;
  /** The same request as one that goes on from an earlier answer of its lane: it goes out where that is still known. */
  readonly continues?: Continuation;
}

/** A request that goes on from an earlier answer. */
export interface Continuation {
  /** The provider's id of that answer. */
  readonly response: string;
  readonly body: Uint8Array;
}

/** A provider: an encoder and a socket. */
export interface Provider {
  readonly name: string;
  /**
   * Names the account that is asked, and so the cache that it reads: recorded with each request, and no secret. Absent where it is not
   * known; then entries of any account are taken to be readable.
   */
  readonly account?: string | undefined;
  readonly encoder: Encoder;
  /** Whether it can make use of `Outgoing.continues`. */
  readonly continues?: boolean;
  /** It answers from a script, so that a question which the runtime asks by itself would take an answer away. */
  readonly scripted?: true;
  /**
   * Sends the bytes once (no retry) and streams the answer; the last part is `finished`. What did not reach the model (a
   * connection that would not open, an answer that is no longer known) is sent another way, and the answer says so.
   *
   * @throws ProviderError sorted by what to do next; also in mid-stream.
   */
  send(outgoing: Outgoing): AsyncIterable<StreamPart>;
  /** The provider's own count of input tokens for a body, where it has one. */
  countTokens?(outgoing: Outgoing): Promise<number>;
  /** Ends what is kept open between calls, where anything is; what is called later keeps nothing open. */
  close?(): void | Promise<void>;
}
