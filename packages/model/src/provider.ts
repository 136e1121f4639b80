// Provider port: turns spans into request bytes, and answer bytes into stream parts. Encoding is pure. Only the
// `Provider` itself (`send`, `countTokens`, `searchWeb`, `close`) does I/O.

import type { StreamPart } from './answer.ts';
import type { AbortSignalLike, AnswerPart } from '@tidemark/core';
import type { Block, Marker } from './block.ts';
import type { RefusedPlace } from './errors.ts';
import type { Capabilities } from './capabilities.ts';
import type { NewHash } from './hash.ts';
import type { ProviderSearch, ProviderSearchAnswer } from './provider-search.ts';
import type { Front, JsonValue, Span } from './span.ts';

/**
 * Looks up bytes by digest: the bytes of an image, or of the definition of an added tool. A span refers to these bytes.
 * The caller loads the bytes before lowering. `undefined` means that the bytes are not loaded.
 */
export type Materials = (digest: string) => Uint8Array | undefined;

/** Inputs of lowering (the conversion of spans to blocks), in addition to the spans. */
export interface Lowering {
  readonly model: string;
  readonly capabilities: Capabilities;
  readonly materials: Materials;
  /** Estimates the tokens of a text from the classes of its characters. */
  readonly estimate: (text: string) => number;
}

/** Parts of a request body that are not blocks. */
export interface Envelope {
  /**
   * Maximum output tokens of the answer. It is sent as `max_tokens`, or under the provider's own name for this limit.
   */
  readonly outputLimit: number;
  /** Body fields that vary by call and are not part of the prefix. */
  readonly fields: { readonly [name: string]: JsonValue };
  readonly betas: readonly string[];
}

/** The beginning of a body, lowered one time per epoch. It does not change during the epoch. */
export interface LoweredFront {
  readonly front: Front;
  /** Blocks of the tools, then blocks of the system texts. */
  readonly blocks: readonly Block[];
  /**
   * Canonical JSON of the settings that enter the cache key in addition to the blocks: the model and the render
   * parameters.
   */
  readonly parameters: string;
}

/**
 * Writes the bodies of one stream. The writer keeps the bytes that no later request of the stream can change, and the
 * hash state of these bytes. The next body therefore costs only the new blocks.
 */
export interface BodyWriter {
  /**
   * Writes the body for all blocks so far, with these markers. `blocks` contains the blocks of the front, then the
   * blocks of the messages. Marker indexes count over both. `blocks` must extend the blocks of the last call. The
   * returned bytes belong to the caller. A later call does not change them.
   *
   * @throws ProviderError `provider/unclosed-history` if a result has no call before it, or a call has no result.
   */
  write(
    blocks: readonly Block[],
    markers: readonly Marker[],
    envelope: Envelope,
  ): { readonly body: Uint8Array; readonly digest: string };
  /**
   * Returns the digest that `write` would return, without copying the body. The cost depends only on the number of new
   * blocks. Throws the same errors as `write`.
   */
  digest(blocks: readonly Block[], markers: readonly Marker[], envelope: Envelope): string;
  /**
   * Writes the same request as `write`, but as a continuation of an earlier answer. The body contains the front's tools
   * and all parameters. It contains only the messages that follow the answer. Omit this method if the API has no such
   * request. The caller must pass the same blocks to `write` or `digest` first, because `writeContinuation` does not
   * check the blocks before the answer.
   */
  writeContinuation?(
    answered: Answered,
    blocks: readonly Block[],
    markers: readonly Marker[],
    envelope: Envelope,
  ): { readonly body: Uint8Array; readonly digest: string };
}

/** Earlier answer that a request continues from. */
export interface Answered {
  /** The provider's id of the answer. */
  readonly response: string;
  /** Index of the first block after the answer. */
  readonly from: number;
}

/** Pure half of a provider: one encoder revision. The bytes of a revision never change after its release. */
export interface Encoder {
  /**
   * Name and number, such as `anthropic-messages/1`. It is recorded in every request. `verify` uses it to select the
   * same encoder.
   */
  readonly revision: string;
  /** Changes of a catalog row's `appends` that the wire format can express. Default: all of them. */
  readonly appends?: Capabilities['appends'];
  lowerFront(front: Front, lowering: Lowering): LoweredFront;
  /**
   * Returns the blocks of one span. Returns an empty list for content that is omitted from requests: blank text, a
   * trailing reasoning block, and reasoning of another model.
   *
   * @throws ProviderError `provider/invalid` if bytes that the span refers to are not in the materials.
   */
  lowerSpan(span: Span, lowering: Lowering): readonly Block[];
  /**
   * Returns the envelope fields that show the provider's router which requests share a prefix. Omit this method if the
   * provider has no such fields.
   */
  routing?(cacheKey: string, capabilities: Capabilities): Envelope['fields'];
  /**
   * Returns the envelope fields that ask the provider to compare this request with the request of an earlier answer.
   * `previous` is the id of that answer. Without `previous`, the fields only ask the provider to remember this request
   * for a later comparison. Omit this method if the API has no comparison.
   */
  comparing?(previous: string | undefined, capabilities: Capabilities): Envelope['fields'];
  /**
   * Checks that a block contains this part of an answer exactly as it was received. If this is true for every part of
   * the answer, a request may continue from the answer by its id. Omit this method if the API cannot continue from an
   * answer.
   */
  echoes?(part: AnswerPart, block: Block): boolean;
  /**
   * Returns the smallest output limit that the provider accepts for these parameters. 0 means that the provider can
   * write its cache without producing an answer. Return `undefined`, or omit this method, if no small limit is known.
   */
  leastOutput?(parameters: Front['parameters'], capabilities: Capabilities): number | undefined;
  /**
   * Other encoders for the same request, by the name of an optional field of the body. Each of them writes the request
   * without this field. The blocks are the same, so the prefix is the same too. If a server refuses the field, its
   * later requests use the other encoder.
   */
  readonly without?: { readonly [field: string]: Encoder };
  /**
   * Returns the indexes in `blocks` of the blocks at a refused place of the body. Returns an empty list if no block is
   * at that place.
   */
  locate?(place: RefusedPlace, blocks: readonly Block[]): readonly number[];
  /**
   * Returns a writer for bodies that begin with this front. `newHash` must create a SHA-256; the digest of a body is
   * the SHA-256 of its bytes.
   */
  join(front: LoweredFront, newHash: NewHash): BodyWriter;
}

/** A request to send. The provider sends exactly these bytes. */
export interface Outgoing {
  readonly body: Uint8Array;
  readonly betas: readonly string[];
  readonly signal?: AbortSignalLike;
  /** Output limit of the body, in tokens. The provider uses it to limit the size of the answer that it accepts. */
  readonly outputLimit?: number;
  /**
   * Name of a series of calls in which each call continues from the previous call. A provider may keep a connection
   * open for a lane.
   */
  readonly lane?: string;
  /**
   * The same request, written as a continuation of an earlier answer of the lane. The provider sends it instead of
   * `body` if that answer is still known.
   */
  readonly continues?: Continuation;
}

/** Request body that continues from an earlier answer. */
export interface Continuation {
  /** The provider's id of the earlier answer. */
  readonly response: string;
  readonly body: Uint8Array;
}

/** A provider: an encoder, and the network calls that use its bodies. */
export interface Provider {
  readonly name: string;
  /**
   * Name of the account that the calls use. Each account has a separate cache. The name is recorded with each request
   * and must not be a secret. If the name is absent, the account is unknown. In this case, cache entries of any account
   * are assumed to be readable.
   */
  readonly account?: string | undefined;
  readonly encoder: Encoder;
  /** True if the provider can use `Outgoing.continues`. */
  readonly continues?: boolean;
  /**
   * Set if the answers come from a script. In this case, the runtime does not ask the model to write checkpoints,
   * because each such call would consume a scripted answer.
   */
  readonly scripted?: true;
  /**
   * Sends the request and streams the answer. The last part is `finished`.
   *
   * If a request reached the model, it is not sent again. If it did not reach the model, the provider can send it in
   * another way. It can send the request over HTTP if the WebSocket did not open. It can send the whole history if the
   * server no longer has the answer that the request continues. `transport` of the answer records the way and the
   * reason.
   *
   * @throws ProviderError with a `class` that names the next action. It can also be thrown in mid-stream.
   */
  send(outgoing: Outgoing): AsyncIterable<StreamPart>;
  /** Returns the provider's own count of the input tokens of a body. Omit this method if the provider cannot count. */
  countTokens?(outgoing: Outgoing): Promise<number>;
  /**
   * Searches the web with the provider's own search. Omit this method if the provider has none.
   *
   * @throws ProviderError when the call fails.
   */
  searchWeb?(search: ProviderSearch): Promise<ProviderSearchAnswer>;
  /**
   * Closes the connections that are open between calls. Calls after `close` still work, but they leave no connection
   * open.
   */
  close?(): void | Promise<void>;
}
