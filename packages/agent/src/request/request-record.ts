// The record of a request, and its body: every decision that history does not hold (L2).

import { defined } from '@tidemark/core';
import type { Sequence, State } from '@tidemark/context';
import { RENDERING, itemAt } from '@tidemark/context';
import type { ContentPart, MarkerRecord, RequestPrepared, SizeForecast } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { Answered, Block, Capabilities, Continuation, Encoder, Envelope, JsonValue } from '@tidemark/model';
import type { CallPlan } from './call-plan.ts';
import type { PromptStream } from './prompt-stream.ts';

/** What makes a call one beside the conversation, on a stream of its own. */
export interface Beside {
  /** Unique in the session. */
  readonly stream: `side/${string}`;
  /** Its own words: one user message behind the history. */
  readonly extra: readonly ContentPart[];
  /** Whether the conversation so far stands before them. */
  readonly history: 'main' | 'none';
  /** Set for a call that is made to keep the history cached: no marker stands on its words. A promotion asks for an hour. */
  readonly keeps?: 'refresh' | 'promotion';
  /** It was refused for a block of the history that was put aside since: it may open the epoch which leaves that out. */
  readonly mends?: true;
}

/** What a request carries beside its blocks. */
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
  /** The answer that the request may go on from. */
  readonly answered?: Answered | undefined;
}

/** A request on its way into the log, and what may go out then. */
export interface WrittenRequest {
  readonly data: RequestPrepared;
  /** The answer that the provider was asked to compare it with. */
  readonly compared: string | undefined;
  readonly body: Uint8Array;
  readonly continues: Continuation | undefined;
}

/** Writes the body of a planned call and says all that it was made with. */
export function writeRequest(
  state: State,
  promptStream: PromptStream,
  call: CallPlan,
  options: RequestOptions,
  opens: boolean,
): WrittenRequest {
  const { sequence } = promptStream;
  const { outputLimit, beside, answered, size, account } = options;
  const { fields, compared } = comparisonOf(state, promptStream, options);
  const envelope = { ...routingOf(promptStream, call), ...fields, ...options.envelope };
  const betas = [...new Set([...(options.betas ?? []), ...sequence.betas])];
  const request = [blocksOf(sequence), call.markers, { outputLimit, fields: envelope, betas }] as const;
  const written = promptStream.writer.write(...request);
  const behind = answered === undefined ? undefined : promptStream.writer.writeBehind?.(answered, ...request);
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
    ...defined({ account }),
    ...(answered === undefined || behind === undefined
      ? {}
      : { continuation: { ...answered, digest: digest(behind.digest), bytes: behind.body.length } }),
  };
  const continues = answered && behind && { response: answered.response, body: behind.body };
  return { data, compared, body: written.body, continues };
}

/** What a provider routes by is no part of the prefix: it is in the envelope, as everything that varies by call. */
function routingOf({ materials: { encoder, capabilities } }: PromptStream, { key }: CallPlan): Envelope['fields'] {
  return key === undefined ? {} : (encoder.routing?.(key, capabilities) ?? {});
}

/** What asks the provider to compare the request, and the answer whose request it is compared with. */
interface Comparison {
  readonly fields: Envelope['fields'];
  readonly compared: string | undefined;
}

/** With the last answer of the main stream, where the same API gave it: another one does not know its id. */
function comparisonOf(
  state: State,
  { materials: { encoder, capabilities } }: PromptStream,
  { beside, envelope = {} }: RequestOptions,
): Comparison {
  const { prepared, response } = state.streams['main']?.accepted ?? {};
  const compared = prepared?.encoder === encoder.revision ? response : undefined;
  const fields = beside?.history === 'none' ? {} : (encoder.comparing?.(compared, capabilities) ?? {});
  const names = Object.keys(fields);
  // Who gives such a field himself has the word.
  const asks =
    names.length > 0 && names.every((name) => !Object.hasOwn(envelope, name) || envelope[name] === undefined);
  return asks ? { fields, compared } : { fields: {}, compared: undefined };
}

/** All blocks of a sequence, without a copy where its buffer holds no more than it. */
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

/** Where the provider will have entries, by the rules in the catalog row: the fold knows no row (L9). */
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

/** A fork's first request of its own goes on from its parent's. */
function relationOf(state: State): RequestPrepared['relation'] {
  const last = state.streams['main']?.accepted;
  return last !== undefined && state.createdAt !== undefined && last.position < state.createdAt
    ? 'inherits'
    : 'extends';
}
