// Copying what is sound of a damaged session into a new one. The old one stays as it is (L5).

import { open, rename } from 'node:fs/promises';
import {
  EMPTY_TIP,
  LogError,
  canonicalText,
  chainBehind,
  createRecordReader,
  headOf,
  seal,
  writeHead,
} from '@tidemark/log';
import type { Chain, SessionId, SoundLine, Tip } from '@tidemark/log';
import { chunksOf } from './chunks.ts';
import { flushFolder } from './durable-folder.ts';
import { openHome } from './home.ts';
import type { Home, NdjsonOptions } from './home.ts';
import { inspect } from './inspect-session.ts';
import type { Damage } from './inspect-session.ts';
import { nodeBytes } from './node-bytes.ts';
import { createWriter } from './open-writer.ts';
import { roomPaths } from './paths.ts';
import { withLog } from './read-log.ts';
import type { OpenLog } from './read-log.ts';
import { forkTip } from './read-session.ts';

/** What became of a repair. */
export interface Repair {
  readonly from: SessionId;
  readonly to: SessionId;
  /** How many records the new session holds, ancestors included. */
  readonly records: number;
  /** Why the rest was left out; absent when nothing was damaged. */
  readonly damage?: Damage;
}

/**
 * Makes session `to` of all records of `from` before its first damage. Payloads are copied as raw bytes, kinds that this
 * build does not know included; positions stay, the chain is new. The new `session.created` says where it comes from.
 *
 * @throws LogError `log/exists` for `to`; `log/damaged` when not even the first record of `from` is sound, or when the
 * damage is in an ancestor: repair that one.
 */
export async function repairSession(store: NdjsonOptions, from: SessionId, to: SessionId): Promise<Repair> {
  const home = openHome(store);
  const { damage, records } = await inspect(home, from);
  await withLog(home, from, async (log) => {
    if (records <= log.beginning.start) throw nothingSound(from, damage);
    const writer = await createWriter(home, to, log.beginning.record.data.parent);
    try {
      await copy(home, log, to, records);
    } finally {
      await writer.close();
    }
  });
  return damage === undefined ? { from, to, records } : { from, to, records, damage };
}

async function copy(home: Home, log: OpenLog, to: SessionId, length: number): Promise<void> {
  const room = roomPaths(home.paths, to);
  const temporary = `${room.log}.incoming`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    const parts = resealed(log, to, length, await tipBefore(home, log));
    for await (const lines of parts) await handle.writeFile(lines);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, room.log);
  await flushFolder(room.folder);
}

async function tipBefore(home: Home, { beginning }: OpenLog): Promise<Tip> {
  const { parent } = beginning.record.data;
  return parent === undefined ? EMPTY_TIP : forkTip(home, parent);
}

/** The sound lines with a new beginning, and therefore a new chain. */
async function* resealed(log: OpenLog, to: SessionId, length: number, before: Tip): AsyncGenerator<Uint8Array> {
  const { start } = log.beginning;
  let chain: Chain = before.chain;
  let lines: Uint8Array[] = [];
  const onLine = (line: SoundLine, raw: Uint8Array): void => {
    const head = line.position === start ? newBeginning(log, to) : headOf(raw, line);
    chain = chainBehind(chain, head, nodeBytes);
    lines.push(seal(head, chain, nodeBytes));
  };
  const tip = { ...before, length: start };
  const reader = createRecordReader(
    { path: log.path, tip, offset: 0, line: 1, from: Infinity, to: length, onLine },
    nodeBytes,
  );
  for await (const chunk of chunksOf(log.handle, 0)) {
    const { failure } = reader.read(chunk);
    yield Buffer.concat(lines);
    lines = [];
    if (failure !== undefined) throw failure;
    if (reader.done) return;
  }
}

function newBeginning({ beginning }: OpenLog, to: SessionId): Uint8Array {
  const { data, ...head } = beginning.record;
  const root = data.root === data.id ? to : data.root;
  const imported = { format: 'tidemark-repair', source: data.id };
  return nodeBytes.encode(writeHead({ ...head, turn: head.turn }, canonicalText({ ...data, id: to, root, imported })));
}

function nothingSound(from: SessionId, damage: Damage | undefined): LogError {
  const where = damage === undefined ? '' : ` The damage is in ${damage.path}, line ${damage.line}.`;
  const message = `No own record of session ${from} is sound, so there is nothing to copy.${where} Repair the session that file belongs to, or restore it.`;
  return new LogError('log/damaged', message, { session: from, ...damage });
}
