// A recording replayed: every call driven anew against the simulator at its recorded time, and the accounts compared: what
// was billed then, what this engine is billed, and what could not be avoided. Sessions of one recording are driven side by
// side, in the order of their calls: a fork reads what its parent wrote, and time never goes back.

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
import type { DrivenCall, Memory, ReplayPruning, StandInRow } from './driving.ts';
import type { LeftByRecorded, RecordedAccount } from './recorded-account.ts';
import { addRecorded, leftBy, NO_RECORDED_ACCOUNT } from './recorded-account.ts';
import { recordedCall } from './recorded-call.ts';
import type { ReplayResult } from './result.ts';
import { resultOf } from './result.ts';
import type { ReplayProvider, Server } from './serve.ts';
import { createServer } from './serve.ts';
import { roomy, rowFor } from './driving.ts';

/** What to replay. */
export interface ReplayOptions {
  readonly source: Log;
  /** Sessions of the recording: the main one first, forks behind their parents. */
  readonly sessions: readonly SessionId[];
  /** Where the driven sessions go. */
  readonly target: Log;
  readonly catalog: Catalog;
  /** Names a driven session. */
  readonly name: (session: SessionId) => SessionId;
  /** What answers; a simulator in this process by default. One per session, and for the forks of it. */
  readonly server?: () => Server;
  /** How long what is cached shall live; `auto` by default. */
  readonly ttl?: Lasting;
  /** Whether pauses are kept warm, as if the process had lived: `off` by default. */
  readonly warm?: ReplayWarm;
  /** Whether old results are shortened where that pays: `off` by default. */
  readonly pruning?: ReplayPruning;
  readonly onCall?: (call: DrivenCall) => void;
}

/** What the call before left on a stream. */
interface Last {
  readonly sequence: Sequence;
  readonly left: LeftByRecorded;
}

/** A session under way. */
interface ReplayRun {
  readonly planned: Planned;
  readonly server: Server;
  readonly provider: ReplayProvider;
  readonly steps: AsyncGenerator<DrivePause, void>;
  readonly close: () => Promise<void>;
  /** Time of its next call. */
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

/** Replays a recording. Reads its sessions twice, writes the driven ones to `target`. */
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
    for (let next = earliest(state); next !== undefined; next = earliest(state)) await advance(state, next);
  } finally {
    for (const run of state.runs) await run.close();
  }
  // With shortened results no size is the recording's: see `ReplayPruning`.
  const untold = (options.pruning ?? 'off') === 'off' ? state.untold : state.account.calls;
  return resultOf({ ...state, untold, sessions: options.sessions.map((session) => options.name(session)) });
}

/** More than any window: a file that does not tell an input does not tell how large it may be. */
const UNTOLD = 4_000_000;

/** The largest recorded input by model of the catalog: a recording shows that its calls were accepted. */
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

/** What a fork takes over. */
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
      onCall: (call) => takeCall(state, run, call),
      onWarm: (call) => void (state.account = addWarming(state.account, call)),
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

/** The place in the driven parent where a fork leaves it: its last record up to now. */
async function forkPoint(
  { target, name }: ReplayOptions,
  { run, memory }: Trunk,
): Promise<Parameters<typeof createSession>[2]> {
  const session = name(run.planned.session);
  const length = memory.lengths.at(-1) ?? 1;
  for await (const { position, chain } of target.read(session, length - 1, length)) return { session, position, chain };
  return undefined;
}

/** Drives a session up to before its next call, or to its end; forks that leave it on the way begin. */
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

/** The world in which promotions work, where it is asked for: its rule is not verified. */
function rulesOf({ warm }: ReplayOptions): Parameters<typeof createServer>[0] {
  return { promotion: warm === 'promotion' ? 'works' : 'fails' };
}

function promoting(row: Capabilities, { warm }: ReplayOptions): Capabilities {
  return warm === 'promotion' ? { ...row, promotes: { verified: ASSUMED } } : row;
}

const ASSUMED = '0001-01-01';

/** Adds a call to the accounts, with what the call before it on this stream left. */
function takeCall(state: Replay, run: ReplayRun, call: DrivenCall): void {
  const session = state.options.name(run.planned.session);
  const broke = run.last !== undefined && !extendsSequence(run.last.sequence, call.prepared.sequence);
  state.account = addCall(state.account, session, call, broke ? call.prepared.opened !== undefined : undefined);
  state.recorded = addRecorded(state.recorded, session, call, run.last?.left);
  state.untold += call.recorded.input === 0 ? 1 : 0;
  run.last = {
    sequence: call.prepared.sequence,
    left: call.recorded.input === 0 && run.last !== undefined ? run.last.left : leftBy(call),
  };
  state.options.onCall?.(call);
}

/** The usual name of a driven session: told from the recording's own. */
export function replayName(session: SessionId): SessionId {
  return sessionId(`replay-${session}`.slice(0, 128));
}

/** A session of the recording as it begins, with its forks. A fork is driven from where it leaves its parent. */
export interface Planned {
  readonly session: SessionId;
  readonly beginning: RecordedOf<'session.created'>;
  readonly forks: readonly Planned[];
}

/** The sessions as trees. A fork whose parent is not among them, or does not reach its place, is driven from its root's beginning on. */
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
