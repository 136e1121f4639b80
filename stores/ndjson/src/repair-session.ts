// Repairs a damaged session by copying its recoverable records into a new session. The old session is not changed (L5).

import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { rename } from 'node:fs/promises';
import { defined } from '@tidemark/core';
import { flushFolder, nodeBytes } from '@tidemark/files';
import type { LostPlace, RawLine, Salvaged, Salvager, SessionId, Strayed, Tip } from '@tidemark/log';
import {
  EMPTY_TIP,
  LogError,
  canonicalText,
  chainBehind,
  checkLine,
  createLineSplitter,
  createSalvager,
  headOf,
  position,
  salvageBeginning,
  seal,
  writeHead,
} from '@tidemark/log';
import { openFile, openForWriting } from './file-port.ts';
import type { Home, NdjsonOptions } from './home.ts';
import { openHome, roomPaths } from './home.ts';
import type { Damage } from './inspect-session.ts';
import { inspect } from './inspect-session.ts';
import { createWriter } from './open-writer.ts';
import type { OpenLog } from './read-log.ts';
import { chunksOf, openLog } from './read-log.ts';
import { forkTip } from './read-session.ts';

export interface SessionRepair {
  readonly from: SessionId;
  readonly to: SessionId;
  /**
   * Number of records in the new session, including those of ancestors and one `foreign.recorded` for each lost record.
   */
  readonly records: number;
  /**
   * Number of records that were corrected. In each of them one byte was wrong, and the chain proves the original value.
   */
  readonly mended: number;
  /** Positions whose records cannot be recovered. */
  readonly lost: readonly LostRecords[];
  /** The first damage. Missing if the session had no damage. */
  readonly damage?: Damage;
}

/** A range of lost positions, and the place of their bytes in the old file. */
export interface LostRecords extends LostPlace {
  readonly from: number;
  readonly count: number;
}

/**
 * Creates session `to` from every record of `from` that is sound or can be corrected, including records after a damage.
 * Payloads are copied as raw bytes, including kinds that this build does not know. Positions stay the same, and the
 * chain is new. The new `session.created` contains the id of the session that it was copied from, and a
 * `foreign.recorded` replaces each lost record.
 *
 * @throws LogError `log/exists` for `to`; `log/damaged` when the beginning of `from` cannot be recovered, or when the
 *   damage is in an ancestor, which must be repaired instead.
 */
export async function repairSession(store: NdjsonOptions, from: SessionId, to: SessionId): Promise<SessionRepair> {
  const home = openHome(store);
  const { damage } = await inspect(home, from);
  if (damage !== undefined && damage.path !== roomPaths(home.paths, from).log) throw inAncestor(from, damage);
  return withDamagedLog(home, from, async (log) => {
    const writer = await createWriter(home, to, log.beginning.record.data.parent);
    try {
      const copied = await copy(home, log, to);
      return { from, to, ...copied, ...defined({ damage }) };
    } finally {
      await writer.close();
    }
  });
}

type Copied = Pick<SessionRepair, 'records' | 'mended' | 'lost'>;

async function copy(home: Home, log: OpenLog, to: SessionId): Promise<Copied> {
  const room = roomPaths(home.paths, to);
  const temporary = `${room.log}.incoming`;
  const handle = await openForWriting(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
  let copied: Copied;
  try {
    copied = await write(handle, log, to, await tipBefore(home, log));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, room.log);
  await flushFolder(room.folder);
  return copied;
}

async function tipBefore(home: Home, { beginning }: OpenLog): Promise<Tip> {
  const { parent } = beginning.record.data;
  return parent === undefined ? EMPTY_TIP : forkTip(home, parent);
}

/**
 * Returns the sound lines for the positions that are missing when the file is read in order, by position. These lines
 * may be anywhere in the file.
 */
async function strayedFrom(log: OpenLog, before: Tip): Promise<Strayed> {
  const missing: LostRecords[] = [];
  for await (const batch of salvagedFrom(log, before, new Map()))
    for (const one of batch) if (one.type === 'lost') missing.push({ ...one, ...one.place });
  if (missing.length === 0) return new Map();
  const found = new Map<number, Uint8Array[]>();
  const splitter = createLineSplitter(0, 1);
  for await (const chunk of chunksOf(log.handle, 0)) {
    for (const { bytes } of splitter.split(chunk)) {
      const sound = checkLine(bytes, nodeBytes);
      if (typeof sound === 'string' || !missing.some((one) => isIn(one, sound.position))) continue;
      found.set(sound.position, [...(found.get(sound.position) ?? []), new Uint8Array(bytes)]);
    }
    if (splitter.tooLong) break;
  }
  return found;
}

function isIn({ from, count }: LostRecords, at: number): boolean {
  return at >= from && at < from + count;
}

/**
 * Writes the salvaged records to a file. The first record is replaced by a new beginning, so all records get a new
 * chain.
 */
async function write(file: FileHandle, log: OpenLog, to: SessionId, before: Tip): Promise<Copied> {
  const lost: LostRecords[] = [];
  let { chain, fence, length } = before;
  let corrected = 0;
  let lines: Uint8Array[] = [];
  const append = (head: Uint8Array): void => {
    const own = length === log.beginning.start ? newBeginning(log, to) : head;
    chain = chainBehind(chain, own, nodeBytes);
    lines.push(seal(own, chain, nodeBytes));
    length += 1;
  };
  const take = (salvaged: Salvaged): void => {
    if (salvaged.type === 'lost') {
      const { from, count, place } = salvaged;
      lost.push({ from, count, ...place });
      for (let each = 0; each < count; each += 1) append(placeholder(log, place, length, fence));
      return;
    }
    fence = salvaged.sound.fence;
    if (salvaged.mended) corrected += 1;
    append(headOf(salvaged.line, salvaged.sound));
  };
  for await (const batch of salvagedFrom(log, before, await strayedFrom(log, before))) {
    for (const one of batch) take(one);
    await file.writeFile(Buffer.concat(lines));
    lines = [];
  }
  return { records: length, mended: corrected, lost };
}

async function* salvagedFrom(log: OpenLog, before: Tip, strayed: Strayed): AsyncGenerator<Iterable<Salvaged>> {
  const splitter = createLineSplitter(0, 1);
  const salvager = createSalvager(before, nodeBytes, strayed);
  for await (const chunk of chunksOf(log.handle, 0)) {
    yield salvageLines(splitter.split(chunk), salvager);
    if (splitter.tooLong) break;
  }
  yield salvager.end(splitter.tail());
}

function* salvageLines(lines: Iterable<RawLine>, salvager: Salvager): Generator<Salvaged> {
  for (const line of lines) yield* salvager.take(line);
}

function newBeginning({ beginning }: OpenLog, to: SessionId): Uint8Array {
  const { data, ...head } = beginning.record;
  const root = data.root === data.id ? to : data.root;
  const imported = { format: FORMAT, source: data.id };
  return nodeBytes.encode(writeHead({ ...head, turn: head.turn }, canonicalText({ ...data, id: to, root, imported })));
}

const FORMAT = 'tidemark-repair';

function placeholder({ beginning }: OpenLog, place: LostPlace, at: number, fence: number): Uint8Array {
  const { line, offset, bytes } = place;
  const record = { session: beginning.session, position: at, offset, bytes };
  const data = { format: FORMAT, line, record, reason: 'the record was damaged and could not be recovered' };
  const head = { position: position(at), at: beginning.record.at, fence, kind: 'foreign.recorded', turn: undefined };
  return nodeBytes.encode(writeHead(head, canonicalText(data)));
}

function inAncestor(from: SessionId, damage: Damage): LogError {
  const message = `Session ${from} continues a damaged session: the damage is in ${damage.path}, line ${damage.line}. Repair or restore the session of that file.`;
  return new LogError('log/damaged', message, { session: from, ...damage });
}

/** Number of bytes, from the beginning of the file, in which the first two lines are searched. */
const FRONT = 4_194_304;

/**
 * Opens a session's file in the same way as `withLog`, even if its first line is damaged.
 *
 * @throws LogError `log/missing`, or `log/damaged` when the beginning of the session cannot be recovered.
 */
async function withDamagedLog<T>(home: Home, session: SessionId, use: (log: OpenLog) => Promise<T>): Promise<T> {
  const log = await openDamaged(home, session);
  try {
    return await use(log);
  } finally {
    await log.handle.close();
  }
}

async function openDamaged(home: Home, session: SessionId): Promise<OpenLog> {
  try {
    return await openLog(home, session);
  } catch (cause) {
    if (!(cause instanceof LogError) || cause.code !== 'log/damaged') throw cause;
    return openWithout(home, session, cause);
  }
}

async function openWithout(home: Home, session: SessionId, cause: LogError): Promise<OpenLog> {
  const path = roomPaths(home.paths, session).log;
  const handle = await openFile(path);
  try {
    const front = Buffer.alloc(FRONT);
    const { bytesRead } = await handle.read(front, 0, FRONT, 0);
    const beginning = salvageBeginning(session, front.subarray(0, bytesRead), nodeBytes);
    if (beginning !== undefined) return { handle, path, beginning };
    throw beginningGone(session, cause);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function beginningGone(session: SessionId, cause: LogError): LogError {
  const message = `The first record of session ${session} cannot be recovered, so the records after it cannot be used. Restore its folder from a backup.`;
  return new LogError('log/damaged', message, cause.data, cause);
}
