// Requests rebuilt from the log alone, by the same fold, the same encoder and the recorded decisions (L2), and compared with
// what was recorded before they were sent.

import type { Sequence, State } from '@tidemark/context';
import { RENDERINGS, emptyState, evolve, itemAt } from '@tidemark/context';
import type { EpochCause, Log, Position, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Encoder } from '@tidemark/model';
import { AgentError } from '../errors.ts';
import type { EpochMaterials, PromptStream } from '../request/prompt-stream.ts';
import { beginPromptStream, sideCallPromptStream, extendPromptStream, stillHolds } from '../request/prompt-stream.ts';
import { blocksOf } from '../request/request-record.ts';
import { loadCapabilities, loadFront } from '../session/materials.ts';

/** Finds the encoder of a revision. */
export type Encoders = (revision: string) => Encoder | undefined;

/** One request, rebuilt. */
export interface Rebuilt {
  readonly record: RecordedOf<'request.prepared'>;
  readonly promptStream: PromptStream;
  /** The state up to and including the request. */
  readonly state: State;
  readonly digest: string;
  /** Of its other form, where one was recorded. */
  readonly continuation: string | undefined;
  /** Makes its bytes. To be asked for before the rebuild goes on: the next request is written over them. */
  readonly body: () => Uint8Array;
}

/** How to rebuild. */
export interface RebuildOptions {
  readonly encoders: Encoders;
  /** Rebuild each request from nothing, instead of on top of the one before it. */
  readonly full?: boolean;
  /** Rebuild only these; the rest is folded. Absent means all. */
  readonly only?: (record: RecordedOf<'request.prepared'>) => boolean;
  /**
   * Told of a request that the log no longer makes, as where a repair found a record before it gone, and why; the rebuild
   * goes on behind it. Without this, that is thrown.
   */
  readonly unmade?: (record: RecordedOf<'request.prepared'>, why: Error) => void;
}

/** What goes by while a log is rebuilt: each record, and each request with its bytes. */
export type RebuildStep =
  | { readonly type: 'record'; readonly record: Recorded; readonly state: State }
  | { readonly type: 'request'; readonly rebuilt: Rebuilt };

/**
 * Reads a session's log from its beginning and rebuilds its requests on the way.
 *
 * @throws AgentError `agent/unknown-encoder` for a request of an encoder that this version does not have.
 */
export async function* rebuildSession(
  log: Log,
  session: SessionId,
  options: RebuildOptions,
): AsyncGenerator<RebuildStep> {
  let state = emptyState();
  let promptStream: PromptStream | undefined;
  const fronts = new Map<string, Omit<EpochMaterials, 'epoch' | 'encoder'>>();
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
          : await freshLine(log, state, encoder, fronts);
      promptStream = record.data.history === 'none' ? held : await extendPromptStream(held, state, log.artifacts);
      rebuilt = rebuild(record, await lineOf(log, record, promptStream, state), state);
    } catch (error) {
      // What the store could not read is no property of the log.
      if (options.unmade === undefined || !(error instanceof Error) || error instanceof LogError) throw error;
      options.unmade(record, error);
      promptStream = undefined;
      continue;
    }
    yield { type: 'request', rebuilt };
  }
}

/** A request, and the state up to and including it. */
export interface RequestAt {
  readonly record: RecordedOf<'request.prepared'>;
  readonly state: State;
}

/**
 * Rebuilds one request from nothing but its state. No other request of the session is rebuilt.
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

/** The prompt stream of the request itself: on a side stream its words stand behind the main one, or behind the front alone. */
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
  // A request that names none was made by the first.
  if (rendering !== undefined && !RENDERINGS.includes(rendering)) throw unknownRevision(step, rendering);
  if (encoder !== undefined) return encoder;
  throw unknownRevision(step, revision);
}

function unknownRevision(step: number, revision: string): AgentError {
  return new AgentError(
    'agent/unknown-encoder',
    `step ${step} was encoded by "${revision}", which this version does not have: use the version that wrote it`,
    { revision },
  );
}

async function freshLine(
  log: Log,
  state: State,
  encoder: Encoder,
  fronts: Map<string, Omit<EpochMaterials, 'epoch' | 'encoder'>>,
): Promise<PromptStream> {
  const { epoch } = state;
  if (epoch === undefined)
    throw new AgentError('agent/no-epoch', 'a request stands before any epoch: the log is no log of this runtime');
  const key = `${epoch.position}`;
  const front = fronts.get(key) ?? {
    texts: await loadFront(log.artifacts, epoch.opened),
    capabilities: await loadCapabilities(log.artifacts, epoch.opened),
  };
  fronts.set(key, front);
  return beginPromptStream({ epoch, encoder, ...front }, state);
}

function rebuild(record: RecordedOf<'request.prepared'>, promptStream: PromptStream, state: State): Rebuilt {
  const { markers, outputLimit, envelope, betas = [], continuation } = record.data;
  const request = [blocksOf(promptStream.sequence), markers, { outputLimit, fields: envelope, betas }] as const;
  return {
    record,
    promptStream: promptStream,
    state,
    digest: promptStream.writer.digest(...request),
    continuation: continuation && promptStream.writer.writeBehind?.(continuation, ...request).digest,
    body: () => promptStream.writer.write(...request).body,
  };
}

/** A request whose bytes could not be made again. */
interface ByteDifference {
  readonly step: number;
  readonly stream: string;
  readonly position: Position;
  readonly recorded: string;
  /** `none` where it could not be made at all. */
  readonly rebuilt: string;
  /** Why it could not. */
  readonly reason?: string;
}

/** A request of the main stream that does not extend the one before it. */
interface Break {
  readonly step: number;
  readonly position: Position;
  /** The cause of the epoch that opened with it; absent for a break that nothing explains. */
  readonly cause?: EpochCause;
}

/** What `verify` found. */
export interface Verification {
  readonly records: number;
  /** Requests of this runtime, side calls included; an import holds none. */
  readonly requests: number;
  readonly differences: readonly ByteDifference[];
  readonly breaks: readonly Break[];
  /** What the fold set aside. */
  readonly problems: readonly string[];
}

/**
 * Rebuilds each request of a session from the log. Compares it with the digest that was recorded before it was sent (L2), and its
 * sequence with the one before it on its stream (L3). Work follows the log, not the sum of the bodies, unless `full`.
 */
export async function verifySession(log: Log, session: SessionId, options: RebuildOptions): Promise<Verification> {
  const differences: ByteDifference[] = [];
  const breaks: Break[] = [];
  let records = 0;
  let requests = 0;
  let before: Rebuilt | undefined;
  let problems: readonly string[] = [];
  const unmade: RebuildOptions['unmade'] = ({ position, data }, { message: reason }) => {
    requests += 1;
    if (data.stream === 'main') before = undefined;
    const { step, stream, digest: recorded } = data;
    differences.push({ step, stream, position, recorded, rebuilt: 'none', reason });
  };
  for await (const step of rebuildSession(log, session, { ...options, unmade })) {
    if (step.type === 'record') {
      records += 1;
      if (step.state.problems.length > problems.length)
        problems = step.state.problems.buffer.map((problem) => `record ${problem.position}: ${problem.message}`);
      continue;
    }
    requests += 1;
    const { rebuilt } = step;
    differences.push(...differencesOf(rebuilt));
    // Each side call is a stream of its own: it has nothing before it to break with.
    if (rebuilt.record.data.stream !== 'main') continue;
    if (before !== undefined && !extendsSequence(before.promptStream.sequence, rebuilt.promptStream.sequence))
      breaks.push(breakOf(before, rebuilt));
    before = rebuilt;
  }
  return { records, requests, differences, breaks, problems };
}

/** Whether a sequence begins with all of another one, under the same render parameters (L3). */
export function extendsSequence(before: Sequence, after: Sequence): boolean {
  const end = before.blocks.length - 1;
  return (
    before.parameters.messages === after.parameters.messages &&
    itemAt(before.prefixes, end) === itemAt(after.prefixes, end)
  );
}

/** A request that was recorded in two forms must be made again in both. */
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
