// Moves sessions between two stores. The source is removed only after every byte was read back from the other store, so
// a process that is killed at any point loses nothing, and the next call goes on.

import { createHash } from 'node:crypto';
import type {
  Digest,
  LockedSession,
  Log,
  RawSessions,
  ReceivedSession,
  Recorded,
  SessionId,
  SessionSummary,
} from '@tidemark/log';
import { LogError, namedArtifacts } from '@tidemark/log';

/** Sessions that belong together and move together: ancestors, forks and subagents, each ancestor before its forks. */
export interface MovePlan {
  /** Session that the caller asked for. */
  readonly session: SessionId;
  /** Sessions that are in the source. Empty if the other store has all of them. */
  readonly sessions: readonly MovedSession[];
}

/** Session that moves. */
export type MovedSession = Pick<SessionSummary, 'session' | 'title' | 'parent' | 'startedBy' | 'bytes'>;

/** Step that begins. `session` is absent for the steps of the whole family. */
export type MovePhase = 'hold' | 'artifacts' | 'records' | 'check' | 'finish' | 'compare' | 'remove' | 'removed';

/** Options of a move. */
export interface MoveOptions {
  readonly from: Log;
  readonly to: Log;
  readonly plan: MovePlan;
  /** True to copy only, and to keep the sessions in the source. */
  readonly keep?: boolean;
  /**
   * Returns a description of a session in a store, such as the result of `verify`. It must be the same in both stores.
   * Called after a session was copied.
   */
  readonly describe?: (log: Log, session: SessionId) => Promise<string>;
  /** Called when a step begins. */
  readonly onPhase?: (phase: MovePhase, session: SessionId | undefined) => void;
}

/** Result of a move. */
export interface MoveResult {
  /** Copied sessions with their number of own records, their size, and the SHA-256 of their bytes. */
  readonly sessions: readonly CopiedSession[];
  /** Artifacts that were stored in the other store. */
  readonly artifacts: number;
  /** Artifacts that records name and that the source does not have. */
  readonly missing: readonly Digest[];
  /** Number of contents of changed files that were copied. */
  readonly undo: number;
  /** Sessions that were not removed, because a session of the source refers to them. Empty with `keep`. */
  readonly kept: readonly SessionId[];
}

/** Session that is complete in the other store. */
export interface CopiedSession {
  readonly session: SessionId;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Finds the sessions that move together with a session. Sessions that an earlier move has removed from the source are
 * found in the other store.
 *
 * @throws LogError `log/missing` when neither store has the session.
 */
export async function planMove(from: Log, to: Log, session: SessionId): Promise<MovePlan> {
  const here = await from.sessions();
  const known = new Map([...(await to.sessions()).sessions, ...here.sessions].map((one) => [one.session, one]));
  const isUnreadable = here.unreadable.some((one) => one.session === session);
  if (!known.has(session) && !isUnreadable) {
    const message = `There is no session ${session} in these stores; \`tidemark sessions\` lists the sessions of a home.`;
    throw new LogError('log/missing', message, { session });
  }
  const family = familyOf(session, [...known.values()]);
  const sessions = here.sessions.filter((one) => family.has(one.session));
  const generation = (one: MovedSession | undefined): number =>
    one?.parent === undefined ? 0 : 1 + generation(known.get(one.parent.session));
  const sorted = sessions.toSorted((a, b) => generation(a) - generation(b));
  return { session, sessions: isUnreadable ? [{ session }, ...sorted] : sorted };
}

/** Returns a session and all sessions that are connected with it by a fork or a subagent. */
function familyOf(session: SessionId, all: readonly MovedSession[]): ReadonlySet<SessionId> {
  const family = new Set([session]);
  for (let size = 0; size < family.size;) {
    ({ size } = family);
    for (const one of all) {
      const others = relativesOf(one);
      const isOf = family.has(one.session) || others.some((other) => family.has(other));
      if (isOf) for (const member of [one.session, ...others]) family.add(member);
    }
  }
  return family;
}

function relativesOf({ parent, startedBy }: MovedSession): readonly SessionId[] {
  return [parent, startedBy].flatMap((relative) => (relative === undefined ? [] : [relative.session]));
}

/**
 * Moves the sessions of a plan. All of them are locked in both stores until the end. Records keep their bytes. Artifacts
 * and the contents of changed files are copied, and stay in the source until its next collection of garbage. Snapshots
 * are not copied, because they can be computed again.
 *
 * @throws LogError `log/locked` when a session is open in one of the stores. Nothing was changed.
 * @throws LogError `log/exists` when the other store has a session with the same id and other records, `log/damaged` when
 *   the source or the copy is damaged, `artifact/damaged`, or an error of the stores. The source was not changed.
 */
export async function moveSessions(options: MoveOptions): Promise<MoveResult> {
  const { from, to, plan, keep = false, onPhase } = options;
  const held: LockedSession[] = [];
  const received: ReceivedSession[] = [];
  try {
    onPhase?.('hold', undefined);
    for (const { session } of plan.sessions) held.push(await rawOf(from).hold(session));
    const copied: CopiedSession[] = [];
    const contents = { artifacts: 0, missing: new Set<Digest>(), undo: 0, done: new Set<Digest>() };
    for (const source of held) {
      onPhase?.('artifacts', source.session);
      await copyArtifacts(options, source, contents);
      const target = await rawOf(to).receive(source.session, source.parent);
      received.push(target);
      copied.push(await copyRecords(options, source, target));
      contents.undo += await copyUndo(options, source);
    }
    const kept = keep ? [] : await removeSources(options, held);
    const { artifacts, missing, undo } = contents;
    return { sessions: copied, artifacts, missing: [...missing], undo, kept };
  } finally {
    await Promise.allSettled([...received, ...held].map((one) => one.close()));
  }
}

function rawOf({ raw }: Log): RawSessions {
  if (raw === undefined) throw new TypeError('sessions cannot be moved from or to this kind of store');
  return raw;
}

interface CopiedContents {
  artifacts: number;
  readonly missing: Set<Digest>;
  readonly done: Set<Digest>;
}

/** Copies the artifacts that the session's own records name. An artifact that is there already is read and checked. */
async function copyArtifacts(
  { from, to }: MoveOptions,
  source: LockedSession,
  contents: CopiedContents,
): Promise<void> {
  for await (const record of from.read(source.session, source.start)) {
    for (const digest of namedArtifacts(record)) {
      if (contents.done.has(digest)) continue;
      contents.done.add(digest);
      if (await isSound(to, digest)) continue;
      if (await from.artifacts.has(digest)) {
        await to.artifacts.put(from.artifacts.get(digest));
        contents.artifacts += 1;
      } else contents.missing.add(digest);
    }
  }
}

async function isSound({ artifacts }: Log, digest: Digest): Promise<boolean> {
  if (!(await artifacts.has(digest))) return false;
  try {
    for await (const _ of artifacts.get(digest)) continue;
    return true;
  } catch (error) {
    if (error instanceof LogError && (error.code === 'artifact/damaged' || error.code === 'artifact/missing'))
      return false;
    throw error;
  }
}

/** Copies the records that the other store does not have, reads all of them back, and makes the session exist there. */
async function copyRecords(
  options: MoveOptions,
  source: LockedSession,
  target: ReceivedSession,
): Promise<CopiedSession> {
  const { from, to, onPhase, describe } = options;
  const { session, start } = source;
  onPhase?.('records', session);
  const isBehind = await isContinued(source, target);
  if (!isBehind) for await (const { bytes } of source.lines(target.length)) await target.append(bytes);
  onPhase?.('check', session);
  const sent = await sumOf(source.lines(), start);
  const arrived = await sumOf(target.lines(), start, sent.records);
  if (sent.sha256 !== arrived.sha256 || sent.records !== arrived.records || sent.bytes !== arrived.bytes) {
    const message = `The copy of session ${session} has other bytes than the session (${arrived.records} records of ${sent.records}). The session was not changed; check the other store.`;
    throw new LogError('log/damaged', message, { session, path: session, line: 1, offset: 0, phase: 'checksum' });
  }
  onPhase?.('finish', session);
  await target.finish();
  onPhase?.('compare', session);
  if (!isBehind && describe !== undefined && (await describe(from, session)) !== (await describe(to, session))) {
    const message = `Session ${session} has the same bytes in both stores, but its requests are rebuilt differently. The session was not removed; check the artifacts of the other store.`;
    throw new LogError('log/damaged', message, { session, path: session, line: 1, offset: 0, phase: 'parse' });
  }
  return { session, ...sent };
}

/**
 * Compares the records that both stores have. Returns true if the other store has all records of the source and more,
 * because the session was continued there. Discards an incomplete copy that does not fit.
 *
 * @throws LogError `log/exists` when the other store has a session with other records.
 */
async function isContinued(source: LockedSession, target: ReceivedSession): Promise<boolean> {
  if (target.length === target.start) return false;
  const mine = await lastOf(source, Infinity);
  const common = Math.min(mine.length, target.length);
  const [ours, theirs] = [await lastOf(source, common), await lastOf(target, common)];
  if (ours.chain === theirs.chain) return target.length > mine.length;
  if (target.isComplete) {
    const { session } = source;
    const message = `The other store has a session ${session} with other records. Nothing was changed; remove one of the two sessions, or repair it.`;
    throw new LogError('log/exists', message, { session });
  }
  await target.discard();
  return false;
}

/** Returns the length and the chain of a log after at most `length` records. */
async function lastOf(
  source: Pick<LockedSession, 'lines' | 'start'>,
  length: number,
): Promise<{ readonly length: number; readonly chain: string }> {
  let last = { length: source.start, chain: '' };
  for await (const lines of source.lines(length === Infinity ? source.start : length - 1)) {
    if (length !== Infinity) return { length, chain: chainOfFirst(lines.bytes) };
    last = { length: lines.length, chain: lines.chain };
  }
  return last;
}

/** Returns the chain value in the first line. Its place in a line is fixed. */
function chainOfFirst(bytes: Uint8Array): string {
  const end = bytes.indexOf(0x0a);
  return Buffer.from(bytes.subarray(end - 35, end - 19)).toString();
}

/** Returns the number, the size and the SHA-256 of lines, of at most `most` records. */
async function sumOf(
  lines: ReturnType<LockedSession['lines']>,
  start: number,
  most: number = Infinity,
): Promise<Omit<CopiedSession, 'session'>> {
  const hash = createHash('sha256');
  let [records, size] = [0, 0];
  for await (const { bytes, length } of lines) {
    const within = length - start <= most ? bytes : firstLines(bytes, most - records);
    hash.update(within);
    size += within.length;
    records = Math.min(length - start, most);
    if (records === most) break;
  }
  return { records, bytes: size, sha256: hash.digest('hex') };
}

function firstLines(bytes: Uint8Array, count: number): Uint8Array {
  let end = 0;
  for (let line = 0; line < count; line += 1) end = bytes.indexOf(0x0a, end) + 1;
  return bytes.subarray(0, end);
}

/** Copies the contents of changed files that the session's own records name, as far as they are still kept. */
async function copyUndo({ from, to }: MoveOptions, { session, start }: LockedSession): Promise<number> {
  const { undo: source } = from;
  const { undo: target } = to;
  if (source === undefined || target === undefined) return 0;
  const names = new Set<Digest>();
  for await (const record of from.read(session, start)) for (const one of contentsBefore(record)) names.add(one);
  let count = 0;
  for (const name of names) {
    const bytes = await source.get(session, name);
    if (bytes === undefined) continue;
    await target.keep(session, bytes);
    count += 1;
  }
  return count;
}

function contentsBefore(record: Recorded): readonly Digest[] {
  if (record.kind !== 'tool.returned' && record.kind !== 'tool.failed') return [];
  return (record.data.files ?? []).flatMap(({ before }) =>
    before === undefined || before === 'absent' ? [] : [before],
  );
}

/**
 * Removes the sessions from the source, forks before their ancestors. A session to which a session of the source refers
 * stays, with its ancestors: a fork can have been made since the plan.
 */
async function removeSources(
  { from, onPhase }: MoveOptions,
  held: readonly LockedSession[],
): Promise<readonly SessionId[]> {
  onPhase?.('remove', undefined);
  const moved = new Set(held.map(({ session }) => session));
  const { sessions } = await from.sessions();
  const kept = new Set(sessions.filter(({ session }) => !moved.has(session)).flatMap(relativesOf));
  const removed: SessionId[] = [];
  for (const source of held.toReversed()) {
    const { session, parent } = source;
    if (kept.has(session)) {
      if (parent !== undefined) kept.add(parent.session);
      continue;
    }
    await source.remove();
    removed.push(session);
    onPhase?.('removed', session);
  }
  return [...moved].filter((session) => !removed.includes(session));
}
