// Rebuilds requests from the log alone, with the same fold, the same encoder and the recorded decisions (L2). Compares
// their digests with the digests that were recorded before the requests were sent.

import type { State } from '@tidemark/context';
import { RENDERINGS, emptyState, evolve } from '@tidemark/context';
import type { EpochCause, Log, Position, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Encoder } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { EpochMaterials, PromptStream } from '../request/prompt-stream.ts';
import { beginPromptStream, sideCallPromptStream, extendPromptStream, stillHolds } from '../request/prompt-stream.ts';
import { blocksOf } from '../request/request-record.ts';
import { loadCapabilities, loadFront } from '../session/materials.ts';
import { extendsSequence } from './extends-sequence.ts';
import type { ObservedVerification } from './verify-observed.ts';
import { checkObserved } from './verify-observed.ts';

/** Returns the encoder for a revision, or `undefined` for a revision that this version does not have. */
export type Encoders = (revision: string) => Encoder | undefined;

export interface Rebuilt {
  readonly record: RecordedOf<'request.prepared'>;
  readonly promptStream: PromptStream;
  /** State up to the record of the request, inclusive. */
  readonly state: State;
  readonly digest: string;
  /** Digest of the continuation form of the request, if one was recorded. */
  readonly continuation: string | undefined;
  /**
   * Returns the bytes of the body. Call it before the iteration continues, because the next request reuses the buffer.
   */
  readonly body: () => Uint8Array;
}

export interface RebuildOptions {
  readonly encoders: Encoders;
  /** True to rebuild each request from scratch. Default: false, and each request extends the previous one. */
  readonly full?: boolean;
  /** Selects the requests to rebuild. All other records are only folded. Default: all requests. */
  readonly only?: (record: RecordedOf<'request.prepared'>) => boolean;
  /**
   * Called for a request that cannot be rebuilt, for example because a repair removed an earlier record. The rebuild
   * then continues. Without this callback the error is thrown.
   */
  readonly unmade?: (record: RecordedOf<'request.prepared'>, why: Error) => void;
}

/** Steps of a rebuild: each record, and each request with its bytes. */
export type RebuildStep =
  | { readonly type: 'record'; readonly record: Recorded; readonly state: State }
  | { readonly type: 'request'; readonly rebuilt: Rebuilt };

/**
 * Reads a session's log from the beginning and rebuilds its requests.
 *
 * @throws AgentError `agent/unknown-encoder` for a request of an encoder that this version does not have.
 */
export function rebuildSession(log: Log, session: SessionId, options: RebuildOptions): AsyncGenerator<RebuildStep> {
  return rebuildSteps(log, session, options);
}

/** Does the same as `rebuildSession`, but counts the tokens of a text with the given function. */
async function* rebuildSteps(
  log: Log,
  session: SessionId,
  options: RebuildOptions,
  count: Pick<EpochMaterials, 'estimate'> = {},
): AsyncGenerator<RebuildStep> {
  let state = emptyState();
  let promptStream: PromptStream | undefined;
  const fronts: KnownFronts = new Map();
  for await (const record of log.read(session)) {
    state = evolve(state, record);
    yield { type: 'record', record, state };
    if (record.kind !== 'request.prepared' || options.only?.(record) === false) continue;
    const encoder = encoderOf(options.encoders, record);
    let rebuilt: Rebuilt;
    try {
      const held: PromptStream =
        promptStream !== undefined && options.full !== true && serves(promptStream, state, encoder)
          ? promptStream
          : await freshLine(log, state, encoder, fronts, count);
      promptStream = record.data.history === 'none' ? held : await extendPromptStream(held, state, log.artifacts);
      rebuilt = rebuild(record, await lineOf(log, record, promptStream, state), state);
    } catch (error) {
      // A `LogError` comes from reading the store, not from the content of the log. It is always thrown.
      if (options.unmade === undefined || !(error instanceof Error) || error instanceof LogError) throw error;
      options.unmade(record, error);
      promptStream = undefined;
      continue;
    }
    yield { type: 'request', rebuilt };
  }
}

/** A request, and the state up to its record, inclusive. */
export interface RequestAt {
  readonly record: RecordedOf<'request.prepared'>;
  readonly state: State;
}

/**
 * Rebuilds one request from its state, without rebuilding any other request of the session.
 *
 * @throws AgentError `agent/unknown-encoder` for a request of an encoder that this version does not have.
 */
export async function rebuildRequest(log: Log, { record, state }: RequestAt, encoders: Encoders): Promise<Rebuilt> {
  const fresh = await freshLine(log, state, encoderOf(encoders, record), new Map());
  const promptStream = record.data.history === 'none' ? fresh : await extendPromptStream(fresh, state, log.artifacts);
  return rebuild(record, await lineOf(log, record, promptStream, state), state);
}

function serves(promptStream: PromptStream, state: State, encoder: Encoder): boolean {
  return stillHolds(promptStream, state) && promptStream.materials.encoder === encoder;
}

async function lineOf(
  log: Log,
  record: RecordedOf<'request.prepared'>,
  main: PromptStream,
  state: State,
): Promise<PromptStream> {
  const { stream, extra = [], history } = record.data;
  if (stream === 'main') return main;
  const before = history === 'none' ? beginPromptStream(main.materials, state) : main;
  return sideCallPromptStream(before, state, { parts: extra, position: record.position }, log.artifacts);
}

function encoderOf(encoders: Encoders, record: RecordedOf<'request.prepared'>): Encoder {
  const { encoder: revision, rendering, step } = record.data;
  const encoder = encoders(revision);
  // A request without `rendering` was built with the first revision of the rendering, which is supported.
  if (rendering !== undefined && !RENDERINGS.includes(rendering)) throw unknownRevision(step, rendering);
  if (encoder !== undefined) return encoder;
  throw unknownRevision(step, revision);
}

function unknownRevision(step: number, revision: string): AgentError {
  return new AgentError(
    'agent/unknown-encoder',
    `step ${step} was encoded by "${revision}", which this version does not support: use the version that wrote it`,
    { revision },
  );
}

/** Texts and capabilities of epochs, by the position of the epoch. */
type KnownFronts = Map<string, Pick<EpochMaterials, 'texts' | 'capabilities'>>;

async function freshLine(
  log: Log,
  state: State,
  encoder: Encoder,
  fronts: KnownFronts,
  count: Pick<EpochMaterials, 'estimate'> = {},
): Promise<PromptStream> {
  const { epoch } = state;
  if (epoch === undefined)
    throw new AgentError(
      'agent/no-epoch',
      'a request comes before the first epoch: this runtime did not write the log',
    );
  const key = `${epoch.position}`;
  const front = fronts.get(key) ?? {
    texts: await loadFront(log.artifacts, epoch.opened),
    capabilities: await loadCapabilities(log.artifacts, epoch.opened),
  };
  fronts.set(key, front);
  return beginPromptStream({ epoch, encoder, ...front, ...count }, state);
}

function rebuild(record: RecordedOf<'request.prepared'>, promptStream: PromptStream, state: State): Rebuilt {
  const { markers, outputLimit, envelope, betas = [], continuation } = record.data;
  const request = [blocksOf(promptStream.sequence), markers, { outputLimit, fields: envelope, betas }] as const;
  return {
    record,
    promptStream: promptStream,
    state,
    digest: promptStream.writer.digest(...request),
    continuation: continuation && promptStream.writer.writeContinuation?.(continuation, ...request).digest,
    body: () => promptStream.writer.write(...request).body,
  };
}

interface ByteDifference {
  readonly step: number;
  readonly stream: string;
  readonly position: Position;
  readonly recorded: string;
  /** Digest of the rebuilt bytes, or `none` if the request could not be rebuilt. */
  readonly rebuilt: string;
  /** Reason why the request could not be rebuilt. */
  readonly reason?: string;
}

interface Break {
  readonly step: number;
  readonly position: Position;
  /** Cause of the epoch that opened with the request. Absent for a break without an epoch. */
  readonly cause?: EpochCause;
}

/** Result of `verifySession`. */
export interface Verification {
  readonly records: number;
  /** Number of requests that this runtime sent, including side calls. An imported log has none. */
  readonly requests: number;
  /** Requests that another program sent and recorded, in an imported log. */
  readonly observed: ObservedVerification;
  readonly differences: readonly ByteDifference[];
  readonly breaks: readonly Break[];
  /** Records that the fold could not apply, each with the reason. */
  readonly problems: readonly string[];
}

/**
 * Rebuilds each request of a session from the log. Compares the digest of the rebuilt bytes with the digest that was
 * recorded before the request was sent (L2). Compares the block sequence with the sequence of the previous request on
 * the main stream (L3). Without `full`, the work is proportional to the size of the log. With `full`, it is
 * proportional to the sum of all request bodies.
 */
export async function verifySession(log: Log, session: SessionId, options: RebuildOptions): Promise<Verification> {
  const differences: ByteDifference[] = [];
  const breaks: Break[] = [];
  let records = 0;
  let requests = 0;
  let before: Rebuilt | undefined;
  let problems: readonly string[] = [];
  const observed = checkObserved(log.artifacts);
  const unmade: RebuildOptions['unmade'] = ({ position, data }, { message: reason }) => {
    requests += 1;
    if (data.stream === 'main') before = undefined;
    const { step, stream, digest: recorded } = data;
    differences.push({ step, stream, position, recorded, rebuilt: 'none', reason });
  };
  // Only bytes are compared here. A real estimate of tokens would read each text again, so the estimate is replaced.
  for await (const step of rebuildSteps(log, session, { ...options, unmade }, { estimate: () => 0 })) {
    if (step.type === 'record') {
      records += 1;
      await observed.take(step.record);
      if (step.state.problems.length > problems.length)
        problems = step.state.problems.buffer.map((problem) => `record ${problem.position}: ${problem.message}`);
      continue;
    }
    requests += 1;
    const { rebuilt } = step;
    differences.push(...differencesOf(rebuilt));
    // Each side call has its own stream, so it has no previous request with which it could be compared.
    if (rebuilt.record.data.stream !== 'main') continue;
    if (before !== undefined && !extendsSequence(before.promptStream.sequence, rebuilt.promptStream.sequence))
      breaks.push(breakOf(before, rebuilt));
    before = rebuilt;
  }
  return { records, requests, observed: observed.result(), differences, breaks, problems };
}

/**
 * Returns the differences between the rebuilt and the recorded request. A request may be recorded in two forms: as a
 * complete body and as a continuation. Both forms must match.
 */
function differencesOf({ record, digest, continuation }: Rebuilt): readonly ByteDifference[] {
  const { position, data } = record;
  const { step, stream } = data;
  const forms = [
    { recorded: data.digest, rebuilt: digest },
    ...(data.continuation === undefined
      ? []
      : [{ recorded: data.continuation.digest, rebuilt: continuation ?? 'none' }]),
  ];
  return forms
    .filter(({ recorded, rebuilt }) => recorded !== rebuilt)
    .map((form) => ({ step, stream, position, ...form }));
}

function breakOf(before: Rebuilt, after: Rebuilt): Break {
  const { step } = after.record.data;
  const epoch = after.state.epoch;
  const opened = epoch !== undefined && epoch.position !== before.state.epoch?.position;
  return { step, position: after.record.position, ...(opened ? { cause: epoch.opened.cause } : {}) };
}
