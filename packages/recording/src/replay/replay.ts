// A recording replayed: every billed call driven anew against the simulator at its recorded time, and the three accounts
// compared: what was billed then, what this engine is billed, and what could not be avoided.

import type { Log, Recorded, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createSession, extendsSequence } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import type { Catalog } from '@tidemark/model';
import { Decimal } from 'decimal.js';
import type { Account, ReplayBreak, ReplayMiss } from './account.ts';
import { addCall, NO_ACCOUNT } from './account.ts';
import type { Driven, DrivenCall } from './drive.ts';
import { drive } from './drive.ts';
import type { Left, RecordedAccount, RecordedMiss } from './recorded-account.ts';
import { addRecorded, leftBy, NO_RECORDED_ACCOUNT } from './recorded-account.ts';
import { recordedCall } from './recorded-call.ts';
import type { Server } from './serve.ts';
import { createServer } from './serve.ts';
import type { Row } from './stand-in.ts';
import { rowFor } from './stand-in.ts';

/** What a replay found. Costs are in units of the base input price: 1 is one token read fresh. */
export interface ReplayResult {
  readonly calls: number;
  /** Sum of input tokens. */
  readonly tokens: number;
  readonly billed: number;
  readonly forced: number;
  /** `forced` by what forces it: labelled breaks of the recording, and rules of the provider. */
  readonly forcedBy: { readonly [cause: string]: number };
  readonly ideal: number;
  readonly expiring: number;
  readonly uncached: number;
  /** (billed − forced) / ideal; `null` for nothing. */
  readonly ratio: number | null;
  readonly expiringRatio: number | null;
  readonly recorded: { readonly billed: number; readonly ideal: number; readonly misses: readonly RecordedMiss[] };
  readonly recordedRatio: number | null;
  readonly breaks: { readonly labelled: number; readonly unlabelled: number; readonly list: readonly ReplayBreak[] };
  readonly misses: readonly ReplayMiss[];
  readonly refused: number;
  readonly refusals: Account['refused'];
  /** How the sizes of blocks are known. */
  readonly sizes: 'recorded totals' | 'estimates';
  /** Models that were driven with another one's row. */
  readonly standIns: readonly { readonly model: string; readonly as: string }[];
  /** The sessions that were driven, and where they were stored. */
  readonly sessions: readonly SessionId[];
}

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
  /** What answers; a simulator in this process unless said otherwise. */
  readonly server?: () => Server;
  readonly onCall?: (call: DrivenCall) => void;
}

interface Replay {
  readonly options: ReplayOptions;
  readonly largest: ReadonlyMap<string, number>;
  readonly driven: Map<SessionId, Driven>;
  readonly standIns: Map<string, string>;
  account: Account;
  recorded: RecordedAccount;
}

/** Replays a recording. Reads its sessions twice, writes the driven ones to `target`. */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const largest = await largestInputs(options);
  const state: Replay = { options, largest, driven: new Map(), standIns: new Map(), account: NO_ACCOUNT, recorded: NO_RECORDED_ACCOUNT };
  const servers = new Map<SessionId, Server>();
  for (const session of options.sessions) await replaySession(state, session, servers);
  return resultOf(state);
}

/** The largest recorded input of each model: a recording shows that its calls were accepted. */
async function largestInputs({ source, sessions }: ReplayOptions): Promise<ReadonlyMap<string, number>> {
  const largest = new Map<string, number>();
  for (const session of sessions) {
    for await (const record of source.read(session)) {
      const call = recordedCall(record);
      if (call !== undefined) largest.set(call.data.model, Math.max(call.input, largest.get(call.data.model) ?? 0));
    }
  }
  return largest;
}

async function replaySession(state: Replay, session: SessionId, servers: Map<SessionId, Server>): Promise<void> {
  const { options } = state;
  const beginning = await firstOwnRecord(options.source, session);
  if (beginning === undefined) return;
  const { parent } = beginning.data;
  const inherited = parent === undefined ? undefined : state.driven.get(parent.session);
  const at = parent === undefined || inherited === undefined ? undefined : await forkPoint(options, parent.session, inherited.lengths[parent.position] ?? 0);
  const id = options.name(session);
  const opened = await createSession(options.target, id, at);
  const server = (parent === undefined ? undefined : servers.get(parent.session)) ?? (options.server ?? createServer)();
  servers.set(session, server);
  const follower = followCalls(state, id);
  try {
    const driven = await drive(
      {
        session: opened,
        id,
        root: at === undefined ? id : options.name(beginning.data.root),
        ...(at === undefined ? {} : { parent: at }),
        records: options.source.read(session, at === undefined ? 0 : beginning.position),
        row: (model) => rowOf(state, model, server),
        serve: server.serve,
        onCall: follower,
      },
      inherited,
    );
    state.driven.set(session, driven);
  } finally {
    await opened.writer.close();
  }
}

async function firstOwnRecord(source: Log, session: SessionId): Promise<Extract<Recorded, { kind: 'session.created' }> | undefined> {
  for await (const record of source.read(session)) if (record.kind === 'session.created' && record.data.id === session) return record;
  return undefined;
}

/** The place in the driven parent where a fork leaves it. */
async function forkPoint({ target, name }: ReplayOptions, parent: SessionId, length: number): Promise<Parameters<typeof createSession>[2]> {
  for await (const record of target.read(name(parent), length - 1, length)) {
    return { session: name(parent), position: record.position, chain: record.chain };
  }
  return undefined;
}

function rowOf(state: Replay, model: string, server: Server): Row {
  const row = rowFor(state.options.catalog, model, state.largest.get(model) ?? 0);
  server.know(row.capabilities);
  if (row.standIn) state.standIns.set(model, row.capabilities.model);
  return row;
}

/** Adds each call to the accounts, with what the call before it on this stream left. */
function followCalls(state: Replay, session: SessionId): (call: DrivenCall) => void {
  let sequence: Sequence | undefined;
  let left: Left | undefined;
  return (call) => {
    const broke = sequence !== undefined && !extendsSequence(sequence, call.prepared.sequence);
    state.account = addCall(state.account, session, call, broke ? call.prepared.opened !== undefined : undefined);
    state.recorded = addRecorded(state.recorded, session, call, left);
    sequence = call.prepared.sequence;
    left = leftBy(call);
    state.options.onCall?.(call);
  };
}

function resultOf({ account, recorded, standIns, options }: Replay): ReplayResult {
  const { bill, breaks } = account;
  const forced = Object.values(account.forced).reduce((sum, cost) => sum.plus(cost), new Decimal(0));
  const unlabelled = breaks.filter((one) => one.cause === undefined).length;
  return {
    calls: account.calls,
    tokens: bill.tokens,
    billed: rounded(bill.billed),
    forced: rounded(forced),
    forcedBy: Object.fromEntries(Object.entries(account.forced).map(([cause, cost]) => [cause, rounded(cost)])),
    ideal: rounded(bill.ideal),
    expiring: rounded(bill.expiring),
    uncached: rounded(bill.uncached),
    ratio: over(bill.billed.minus(forced), bill.ideal),
    expiringRatio: over(bill.billed.minus(forced), bill.expiring),
    recorded: { billed: rounded(recorded.billed), ideal: rounded(recorded.ideal), misses: recorded.misses },
    recordedRatio: over(recorded.billed, recorded.ideal),
    breaks: { labelled: breaks.length - unlabelled, unlabelled, list: breaks },
    misses: account.misses,
    refused: account.refused.length,
    refusals: account.refused,
    sizes: 'recorded totals',
    standIns: [...standIns].map(([model, as]) => ({ model, as })),
    sessions: options.sessions.map((session) => options.name(session)),
  };
}

function rounded(value: Decimal): number {
  return value.toDecimalPlaces(3).toNumber();
}

function over(a: Decimal, b: Decimal): number | null {
  return b.isZero() ? null : a.div(b).toDecimalPlaces(4).toNumber();
}

/** The usual name of a driven session: told from the recording's own. */
export function replayName(session: SessionId): SessionId {
  return sessionId(`replay-${session}`.slice(0, 128));
}

