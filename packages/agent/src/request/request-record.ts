// Writes the record and the body of a request. The record contains every decision that cannot be derived from the
// history (L2).

import { defined } from '@tidemark/core';
import type { Sequence, State } from '@tidemark/context';
import { RENDERING, itemAt } from '@tidemark/context';
import type { ContentPart, MarkerRecord, RequestPrepared, SharedEntry, SizeForecast } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { Answered, Block, Capabilities, Continuation, Encoder, Envelope, JsonValue } from '@tidemark/model';
import type { CallPlan } from './call-plan.ts';
import type { PromptStream } from './prompt-stream.ts';

/** Options that make a call a side call with its own stream. */
export interface Beside {
  /** Name of the stream. It must be unique in the session. */
  readonly stream: `side/${string}`;
  /** Words of the side call, sent as one user message after the history. */
  readonly extra: readonly ContentPart[];
  /** `main` if the conversation so far comes before the words, `none` if not. */
  readonly history: 'main' | 'none';
  /**
   * Set for a call that only keeps the history cached. Its own words get no marker. A promotion requests a lifetime of
   * one hour.
   */
  readonly keeps?: 'refresh' | 'promotion';
  /**
   * Set for a retry after a repair. The provider refused a block of the history, and this block is now quarantined. The
   * retry is allowed to open the epoch that omits the block.
   */
  readonly afterRepair?: true;
}

/** Options of a request in addition to its blocks. */
export interface RequestOptions {
  readonly encoder: Encoder;
  readonly account?: string | undefined;
  readonly outputLimit: number;
  readonly size?: SizeForecast | undefined;
  readonly purpose?: string;
  readonly attempt?: number;
  readonly envelope?: { readonly [name: string]: JsonValue };
  readonly betas?: readonly string[];
  readonly beside?: Beside;
  /** The answer from which the request may continue. */
  readonly answered?: Answered | undefined;
  /** Entry of another session of the same root that the request counts on. */
  readonly cached?: SharedEntry | undefined;
}

/** A written request: the record to append, and the body to send afterwards. */
export interface WrittenRequest {
  readonly data: RequestPrepared;
  /** Id of an earlier answer. The provider is asked to compare the request with this answer. */
  readonly compared: string | undefined;
  readonly body: Uint8Array;
  readonly continues: Continuation | undefined;
}

/**
 * Writes the body of a planned call and its record with all decisions. `opens` is true if the request opens an epoch.
 */
export function writeRequest(
  state: State,
  promptStream: PromptStream,
  call: CallPlan,
  options: RequestOptions,
  opens: boolean,
): WrittenRequest {
  const { sequence } = promptStream;
  const { outputLimit, beside, answered, size, account, cached } = options;
  const { fields, compared } = comparisonOf(state, promptStream, options);
  const envelope = { ...routingOf(promptStream, call), ...fields, ...options.envelope };
  const betas = [...new Set([...(options.betas ?? []), ...sequence.betas])];
  const request = [blocksOf(sequence), call.markers, { outputLimit, fields: envelope, betas }] as const;
  const written = promptStream.writer.write(...request);
  const behind = answered === undefined ? undefined : promptStream.writer.writeContinuation?.(answered, ...request);
  const data: RequestPrepared = {
    step: beside === undefined ? state.steps : 0,
    attempt: options.attempt ?? 0,
    stream: beside?.stream ?? 'main',
    purpose: options.purpose ?? (beside === undefined ? 'turn' : 'side'),
    epoch: state.epoch?.opened.number ?? 0,
    encoder: options.encoder.revision,
    rendering: RENDERING,
    digest: digest(written.digest),
    bytes: written.body.length,
    relation: opens ? 'opens' : beside === undefined ? relationOf(state) : 'inherits',
    sequence: sequenceRecord(sequence),
    ...defined({ extra: beside?.extra }),
    ...(beside?.history === 'none' ? { history: 'none' } : {}),
    markers: call.markers.map((marker): MarkerRecord => ({ ...marker, prefix: prefixAt(sequence, marker.block) })),
    ...keptRecord(sequence, promptStream.materials.capabilities, call),
    outputLimit,
    envelope,
    ...(betas.length === 0 ? {} : { betas }),
    counts: sequence.counts,
    forecast: call.outlook.forecast,
    ...defined({ size }),
    ...(sequence.mediaBytes === 0 ? {} : { mediaBytes: sequence.mediaBytes }),
    ...defined({ account, cached }),
    ...(answered === undefined || behind === undefined
      ? {}
      : { continuation: { ...answered, digest: digest(behind.digest), bytes: behind.body.length } }),
  };
  const continues = answered && behind && { response: answered.response, body: behind.body };
  return { data, compared, body: written.body, continues };
}

/**
 * Returns the envelope fields for routing. Like all fields that are different for each call, they are in the envelope
 * and not in the prefix.
 */
function routingOf({ materials: { encoder, capabilities } }: PromptStream, { key }: CallPlan): Envelope['fields'] {
  return key === undefined ? {} : (encoder.routing?.(key, capabilities) ?? {});
}

interface Comparison {
  readonly fields: Envelope['fields'];
  readonly compared: string | undefined;
}

/**
 * Returns the fields that ask the provider for a comparison with the last answer of the main stream. The id of this
 * answer is sent only if the same encoder wrote its request. The API of another encoder does not know the id.
 */
function comparisonOf(
  state: State,
  { materials: { encoder, capabilities } }: PromptStream,
  { beside, envelope = {} }: RequestOptions,
): Comparison {
  const { prepared, response } = state.streams['main']?.accepted ?? {};
  const compared = prepared?.encoder === encoder.revision ? response : undefined;
  const fields = beside?.history === 'none' ? {} : (encoder.comparing?.(compared, capabilities) ?? {});
  const names = Object.keys(fields);
  // If the caller passes one of these fields in `envelope`, the caller's value is sent and no comparison is requested.
  const asks =
    names.length > 0 && names.every((name) => !Object.hasOwn(envelope, name) || envelope[name] === undefined);
  return asks ? { fields, compared } : { fields: {}, compared: undefined };
}

/** Returns all blocks of a sequence. If the buffer contains only these blocks, it is returned without a copy. */
export function blocksOf({ blocks }: Sequence): readonly Block[] {
  return blocks.buffer.length === blocks.length ? blocks.buffer : blocks.buffer.slice(0, blocks.length);
}

function sequenceRecord(sequence: Sequence): RequestPrepared['sequence'] {
  const { tools, system, messages } = sequence.parameters;
  return {
    parameters: { tools: digest(tools), system: digest(system), messages: digest(messages) },
    blocks: sequence.blocks.length,
    digest: prefixAt(sequence, sequence.blocks.length - 1),
  };
}

/**
 * Returns the places where the provider will have cache entries according to the catalog row. They are recorded because
 * the fold does not know the catalog row (L9).
 */
function keptRecord(
  sequence: Sequence,
  { implicit }: Capabilities,
  { keeping, key }: CallPlan,
): Pick<RequestPrepared, 'kept'> {
  if (implicit === undefined || keeping === undefined) return {};
  const { idle, age } = implicit;
  const places = keeping.places.map((place) => ({ ...place, prefix: prefixAt(sequence, place.block) }));
  return {
    kept: {
      ...defined({ key, idle, age }),
      ...(implicit.at === 'grid' ? { grid: { first: implicit.first, step: implicit.step } } : {}),
      places,
    },
  };
}

function prefixAt(sequence: Sequence, block: number): MarkerRecord['prefix'] {
  return digest(itemAt(sequence.prefixes, block) ?? '');
}

/**
 * Returns `inherits` for the first request of a fork, which continues from a request of the parent. Otherwise returns
 * `extends`.
 */
function relationOf(state: State): RequestPrepared['relation'] {
  const last = state.streams['main']?.accepted;
  return last !== undefined && state.createdAt !== undefined && last.position < state.createdAt
    ? 'inherits'
    : 'extends';
}
