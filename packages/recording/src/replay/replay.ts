// Replays a recording: sends every call again to the simulator at its recorded time. The result compares the recorded
// bill, the bill of this engine, and the cost that no engine could have avoided. All sessions of one recording are
// replayed together, in the order of their calls. So a fork reads the entries that its parent wrote, and time never
// goes back.

import { setImmediate } from 'node:timers/promises';

import { defined } from '@tidemark/core';
import type { Log, SessionId, Recorded, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Lasting } from '@tidemark/agent';
import { createSession, extendsSequence } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import type { Capabilities, Catalog } from '@tidemark/model';
import type { ReplayAccount } from './account.ts';
import { addCall, addWarming, NO_ACCOUNT } from './account.ts';
import type { DrivePause, ReplayWarm } from './drive.ts';
import { drive } from './drive.ts';
import type { DrivenCall, Memory, ReplayPruning, ReplaySettings, StandInRow, WarmCall } from './driving.ts';
import type { LeftByRecorded, RecordedAccount } from './recorded-account.ts';
import { addRecorded, leftBy, NO_RECORDED_ACCOUNT } from './recorded-account.ts';
import { recordedCall } from './recorded-call.ts';
import type { ReplayResult } from './result.ts';
import { resultOf } from './result.ts';
import type { ReplayProvider, Server } from './serve.ts';
import { createServer } from './serve.ts';
import { roomy, rowFor } from './driving.ts';

/** Options of a replay. */
export interface ReplayOptions {
  readonly source: Log;
  /** Sessions of the recording. The main session is first, and each fork is after its parent. */
  readonly sessions: readonly SessionId[];
  /** Log to which the replayed sessions are written. */
  readonly target: Log;
  readonly catalog: Catalog;
  /** Returns the name of the replayed session for a recorded session. */
  readonly name: (session: SessionId) => SessionId;
  /**
   * Creates a server that answers the replayed calls. Default: a simulator inside this operating-system process. Each
   * session that is not a fork gets its own server, which its forks share.
   */
  readonly server?: () => Server;
  /** Lifetime of the cache entries that the replay writes. Default: `auto`. */
  readonly ttl?: Lasting;
  /** Keep-warm mode for pauses of the recording, as if the runtime had been running. Default: `off`. */
  readonly warm?: ReplayWarm;
  /** Pruning mode, which decides if old results are shortened. Default: `off`. */
  readonly pruning?: ReplayPruning;
  /** Source of the model and the reasoning level of each call. Default: `recorded`. */
  readonly settings?: ReplaySettings;
  /** Is called after each call. If it throws, the replay ends with its error. */
  readonly onCall?: (call: DrivenCall) => void;
  readonly onWarm?: (call: WarmCall) => void;
}

interface Last {
  readonly sequence: Sequence;
  readonly left: LeftByRecorded;
}

/** Session during its replay, with the time of its next call and its server. */
interface ReplayRun {
  readonly planned: Planned;
  readonly server: Server;
  readonly provider: ReplayProvider;
  readonly steps: AsyncGenerator<DrivePause, void>;
  readonly close: () => Promise<void>;
  /** Time of the next call, in milliseconds since the epoch. It is -1 until the first call is known. */
  at: number;
  last: Last | undefined;
}

interface Replay {
  readonly options: ReplayOptions;
  readonly largest: ReadonlyMap<string, number>;
  readonly runs: ReplayRun[];
  readonly standIns: Map<string, string>;
  account: ReplayAccount;
  recorded: RecordedAccount;
  untold: number;
}

/**
 * Replays a recording and returns the comparison of costs. Reads the recorded sessions more than once, and writes the
 * replayed sessions to `target`.
 */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const largest = await largestInputs(options);
  const state: Replay = {
    options,
    largest,
    runs: [],
    standIns: new Map(),
    account: NO_ACCOUNT,
    recorded: NO_RECORDED_ACCOUNT,
    untold: 0,
  };
  try {
    for (const planned of await planSessions(options.source, options.sessions)) await start(state, planned);
    for (let next = earliest(state); next !== undefined; next = earliest(state)) {
      await advance(state, next);
      // A replay in memory waits for nothing, so without this pause no signal of the process would arrive until its end.
      await setImmediate();
    }
  } finally {
    for (const run of state.runs) await run.close();
  }
  // With pruning, all sizes are estimates (see `ReplayPruning`), so every call counts as a call without a recorded
  // size.
  const untold = (options.pruning ?? 'off') === 'off' ? state.untold : state.account.calls;
  return resultOf({ ...state, untold, sessions: options.sessions.map((session) => options.name(session)) });
}

/**
 * Assumed input of a call if the recording does not contain its size, in tokens. The value is larger than any window,
 * so that the limits of the model never refuse such a call.
 */
const UNTOLD = 4_000_000;

/**
 * Returns the largest recorded input of each model in tokens, by the model's name in its catalog row. The replay must
 * accept an input of this size, because the recorded provider accepted it.
 */
async function largestInputs({ source, sessions, catalog }: ReplayOptions): Promise<ReadonlyMap<string, number>> {
  const largest = new Map<string, number>();
  for (const session of sessions) {
    for await (const record of source.read(session)) {
      const call = recordedCall(record);
      if (call === undefined) continue;
      const { model } = rowFor(catalog, call.data.model).capabilities;
      largest.set(model, Math.max(call.input === 0 ? UNTOLD : call.input, largest.get(model) ?? 0));
    }
  }
  return largest;
}

function earliest({ runs }: Replay): ReplayRun | undefined {
  return runs.reduce<ReplayRun | undefined>(
    (first, run) => (first === undefined || run.at < first.at ? run : first),
    undefined,
  );
}

/** Run and memory of a parent from which a fork starts. */
interface Trunk {
  readonly run: ReplayRun;
  readonly memory: Memory;
}

async function start(state: Replay, planned: Planned, trunk?: Trunk): Promise<void> {
  const { options } = state;
  const { beginning, session, forks } = planned;
  const id = options.name(session);
  const at = trunk === undefined ? undefined : await forkPoint(options, trunk);
  const opened = await createSession(options.target, id, at);
  const server = trunk?.run.server ?? (options.server ?? (() => createServer(rulesOf(options))))();
  const provider = trunk?.run.provider ?? { serve: server.serve, told: 0 };
  const steps = drive(
    {
      session: opened,
      id,
      root: at === undefined ? id : options.name(beginning.data.root),
      ...defined({ parent: at }),
      name: options.name,
      records: options.source.read(session, at === undefined ? 0 : beginning.position),
      bytes: options.source.artifacts,
      row: (model) => rowOf(state, model, server),
      provider,
      ...defined({ ttl: options.ttl }),
      forksAt: new Set(forks.map((fork) => fork.beginning.data.parent?.position ?? -1)),
      warm: (options.warm ?? 'off') !== 'off',
      pruning: options.pruning ?? 'off',
      settings: options.settings ?? 'recorded',
      onCall: (call) => takeCall(state, run, call),
      onWarm: (call) => {
        state.account = addWarming(state.account, call);
        options.onWarm?.(call);
      },
    },
    trunk?.memory,
  );
  const run: ReplayRun = {
    planned,
    server,
    provider,
    steps,
    close: () => opened.writer.close(),
    at: -1,
    last: trunk?.run.last,
  };
  state.runs.push(run);
}

/** Returns the start of a fork: position and chain digest of the last record that the replayed parent has so far. */
async function forkPoint(
  { target, name }: ReplayOptions,
  { run, memory }: Trunk,
): Promise<Parameters<typeof createSession>[2]> {
  const session = name(run.planned.session);
  const length = memory.lengths.at(-1) ?? 1;
  for await (const { position, chain } of target.read(session, length - 1, length)) return { session, position, chain };
  return undefined;
}

/** Replays a session up to its next call, or to its end. Starts the forks that start before that call. */
async function advance(state: Replay, run: ReplayRun): Promise<void> {
  for (let next = await run.steps.next(); ; next = await run.steps.next()) {
    if (next.done === true) {
      state.runs.splice(state.runs.indexOf(run), 1);
      return run.close();
    }
    if ('callAt' in next.value) {
      run.at = next.value.callAt;
      return undefined;
    }
    const { leaves, memory } = next.value;
    for (const fork of run.planned.forks)
      if (fork.beginning.data.parent?.position === leaves) await start(state, fork, { run, memory });
  }
}

function rowOf(state: Replay, model: string, server: Server): StandInRow {
  const { capabilities, standIn } = rowFor(state.options.catalog, model);
  const row = promoting(roomy(capabilities, state.largest.get(capabilities.model) ?? 0), state.options);
  server.know(row);
  if (standIn !== undefined) state.standIns.set(model, standIn);
  return defined({ capabilities: row, standIn });
}

/**
 * Returns the promotion rule of the simulator. Promotions work only with the keep-warm mode `promotion`, because the
 * provider's rule is not verified.
 */
function rulesOf({ warm }: ReplayOptions): Parameters<typeof createServer>[0] {
  return { promotion: warm === 'promotion' ? 'works' : 'fails' };
}

function promoting(row: Capabilities, { warm }: ReplayOptions): Capabilities {
  return warm === 'promotion' ? { ...row, promotes: { verified: ASSUMED } } : row;
}

const ASSUMED = '0001-01-01';

/**
 * Adds a replayed call to the account of the replay and to the account of the recording. Compares the call with the
 * previous call on this stream.
 */
function takeCall(state: Replay, run: ReplayRun, call: DrivenCall): void {
  const session = state.options.name(run.planned.session);
  const broke = run.last !== undefined && !extendsSequence(run.last.sequence, call.prepared.sequence);
  state.account = addCall(state.account, session, call, broke ? call.prepared.opened !== undefined : undefined);
  state.recorded = addRecorded(state.recorded, session, call, run.last?.left);
  state.untold += call.recorded.input === 0 ? 1 : 0;
  run.last = {
    sequence: call.prepared.sequence,
    left: call.recorded.input === 0 && run.last !== undefined ? run.last.left : leftBy(call, run.last?.left),
  };
  state.options.onCall?.(call);
}

/**
 * Returns the default name of a replayed session: `replay-` and the name of the recorded session, cut to 128
 * characters.
 */
export function replayName(session: SessionId): SessionId {
  return sessionId(`replay-${session}`.slice(0, 128));
}

/**
 * Session of the recording, with its first own record and its forks. A fork is replayed from the point at which its log
 * differs from its parent's.
 */
export interface Planned {
  readonly session: SessionId;
  readonly beginning: RecordedOf<'session.created'>;
  readonly forks: readonly Planned[];
}

/**
 * Returns the sessions as trees of forks. A fork becomes a separate root if its parent is not in the list, or if the
 * parent's own records do not contain the fork point. Such a fork is replayed from the start of its log.
 */
async function planSessions(source: Log, sessions: readonly SessionId[]): Promise<readonly Planned[]> {
  const planned = new Map<SessionId, Planned & { readonly forks: Planned[] }>();
  const roots: Planned[] = [];
  for (const session of sessions) {
    const beginning = await firstOwnRecord(source, session);
    if (beginning === undefined) continue;
    const one = { session, beginning, forks: [] };
    planned.set(session, one);
    const { parent } = beginning.data;
    const trunk = parent === undefined ? undefined : planned.get(parent.session);
    const isReached = parent !== undefined && trunk !== undefined && parent.position >= trunk.beginning.position;
    (isReached ? trunk.forks : roots).push(one);
  }
  return roots;
}

async function firstOwnRecord(source: Log, session: SessionId): Promise<RecordedOf<'session.created'> | undefined> {
  for await (const record of source.read(session)) if (isBeginning(record) && record.data.id === session) return record;
  return undefined;
}

function isBeginning(record: Recorded): record is RecordedOf<'session.created'> {
  return record.kind === 'session.created';
}
