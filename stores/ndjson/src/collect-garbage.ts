// Removes the artifacts, and the kept bytes of changed files, to which no log refers. A writer stores an artifact before it appends the record with the
// digest. So an artifact without a reference may still be needed. Two groups of files are always kept: files that are
// younger than one hour, and files that were stored after the oldest living writer took its lock.

import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LogError, sessionId } from '@tidemark/log';
import { openFile, unlessGone, unlessThere } from './file-port.ts';
import type { Home, HomePaths, NdjsonOptions } from './home.ts';
import { openHome } from './home.ts';
import type { ArtifactFile } from './inspect-artifacts.ts';
import { artifactFiles } from './inspect-artifacts.ts';
import { heldSince } from './lease.ts';
import { begin } from './read-log.ts';
import type { UndoFile } from './undo-files.ts';
import { undoFiles } from './undo-files.ts';

export interface CollectOptions {
  /** True to report the files that would be removed, without removing them. */
  readonly dryRun?: boolean;
  /** Current time in milliseconds since 1970. The default is the system time. */
  readonly now?: number;
}

/** Number of files, and their total size on the disk in bytes. */
export interface FileTally {
  readonly files: number;
  readonly bytes: number;
}

/** Number and size of the files under `artifacts`, by outcome. Every file is in exactly one group. */
export interface Collected {
  /** Files to which no log refers. They are removed, or only reported in a dry run. */
  readonly removed: FileTally;
  /**
   * Recent files to which no log refers. They are kept, because a writer may be about to append a reference to them.
   */
  readonly young: FileTally;
  /** Files to which a log refers. */
  readonly named: FileTally;
  /** Bytes of files before tools changed them. They are counted here only. */
  readonly undo: UndoTally;
}

/** Number and size of the files in the undo folders of all sessions, by outcome. */
export interface UndoTally {
  /**
   * Files that no log names, and files of sessions that did not change for 30 days. A session counts as changed when one
   * of its forks or subagents changed, or the session that it comes from, because a rewind there needs its files.
   */
  readonly removed: FileTally;
  readonly kept: FileTally;
}

const HOUR = 3_600_000;
/** Time after the last change of a session and its relatives until its undo files are removed. */
const UNDO_LIFE = 30 * 24 * HOUR;
/**
 * Prefix of the name of a file that is being removed. The original name follows the prefix, so after a killed run the
 * next run can restore the file.
 */
const DOOMED = '.doomed-';

/**
 * Removes the artifacts to which no log of the home refers. It can run while writers are running.
 *
 * @throws any error of reading a log. In this case no file is removed.
 */
export async function collectGarbage(store: NdjsonOptions, options: CollectOptions = {}): Promise<Collected> {
  const home = openHome(store);
  const { paths } = home;
  const { dryRun = false, now = Date.now() } = options;
  if (!dryRun) await putBack(paths);
  const before = Math.min(now - HOUR, await oldestWriter(paths));
  const files: ArtifactFile[] = [];
  for await (const file of artifactFiles(paths)) files.push(file);
  const undone = await allUndoFiles(home);
  const named = files.flatMap(({ digest }) => (digest === undefined ? [] : [digest]));
  const unnamed = new Set<string>([...named, ...undone.map(({ name }) => name)]);
  await dropNamed(paths, unnamed);
  const tallies = { removed: NO_FILES, young: NO_FILES, named: NO_FILES };
  for (const file of files) {
    const fate = await settleFile(file, { unnamed, before, dryRun });
    tallies[fate] = addFile(tallies[fate], file);
  }
  return { ...tallies, undo: await collectUndo(undone, { unnamed, before, dryRun, now }) };
}

const NO_FILES: FileTally = { files: 0, bytes: 0 };

function addFile(tally: FileTally, { bytes }: { readonly bytes: number }): FileTally {
  return { files: tally.files + 1, bytes: tally.bytes + bytes };
}

interface OwnedUndoFile extends UndoFile {
  /** Time of the last change of a session with the same root, in milliseconds since 1970. */
  readonly familyChangedAt: number;
}

async function allUndoFiles(home: Home): Promise<readonly OwnedUndoFile[]> {
  const { sessions } = home.paths;
  const changes = new Map<string, number>();
  const found: { readonly root: string; readonly file: UndoFile }[] = [];
  for (const room of await namesIn(sessions)) {
    const folder = join(sessions, room);
    // A log that cannot be read is reported by the search for its names.
    const log = await stat(join(folder, 'log.ndjson')).catch(() => undefined);
    const root = await rootOf(home, room);
    changes.set(root, Math.max(changes.get(root) ?? 0, log?.mtimeMs ?? 0));
    for (const file of await undoFiles(join(folder, 'undo'))) found.push({ root, file });
  }
  return found.map(({ root, file }) => ({ ...file, familyChangedAt: changes.get(root) ?? 0 }));
}

/** Returns the session from which a session comes by forks and subagents. Without a readable log, it is the session. */
async function rootOf(home: Home, room: string): Promise<string> {
  try {
    return (await begin(home, sessionId(room))).record.data.root;
  } catch {
    return room;
  }
}

/** Removes the undo files that are not needed. A young file stays, because its record may not be written yet. */
async function collectUndo(
  files: readonly OwnedUndoFile[],
  { unnamed, before, dryRun, now }: GarbageRule & { readonly now: number },
): Promise<UndoTally> {
  let [removed, kept] = [NO_FILES, NO_FILES];
  for (const file of files) {
    const isOld = file.familyChangedAt < now - UNDO_LIFE;
    const isUnused = isOld || unnamed.has(file.name) || file.name.length !== 64;
    if (!isUnused || file.changedAt >= before) kept = addFile(kept, file);
    else {
      removed = addFile(removed, file);
      if (!dryRun) await rm(file.path, { force: true });
    }
  }
  return { removed, kept };
}

interface GarbageRule {
  readonly unnamed: ReadonlySet<string>;
  /** Time in milliseconds since 1970. Files that were stored at this time or later are kept. */
  readonly before: number;
  readonly dryRun: boolean;
}

async function settleFile(
  file: ArtifactFile,
  { unnamed, before, dryRun }: GarbageRule,
): Promise<Exclude<keyof Collected, 'undo'>> {
  if (file.digest !== undefined && !unnamed.has(file.digest)) return 'named';
  if (file.changedAt >= before) return 'young';
  if (dryRun || (await remove(file.path, before))) return 'removed';
  return 'young';
}

/**
 * Removes a file. Returns true if the file was removed. Another process can store the same bytes at the same time. So
 * the file is renamed first, and its time is checked again. If the other process updated the time, this function
 * restores the file. If the other process found no file, that process writes the file again.
 */
async function remove(path: string, before: number): Promise<boolean> {
  const doomed = join(dirname(path), `${DOOMED}${basename(path)}`);
  await rename(path, doomed);
  const isOld = (await stat(doomed)).mtimeMs < before;
  if (!isOld) await link(doomed, path).catch(unlessThere);
  await rm(doomed);
  return isOld;
}

/** Restores the files that a killed run had renamed. The current run then treats them like all other files. */
async function putBack({ artifacts }: HomePaths): Promise<void> {
  const names = await readdir(artifacts, { recursive: true }).catch(unlessGone);
  for (const name of names ?? []) {
    const doomed = join(artifacts, name);
    const at = name.lastIndexOf(DOOMED);
    if (at === -1) continue;
    await link(doomed, join(artifacts, name.slice(0, at), name.slice(at + DOOMED.length))).catch(unlessThere);
    await rm(doomed);
  }
}

/** Returns the time at which the oldest living writer took its lock, or `Infinity` without a living writer. */
async function oldestWriter({ sessions }: HomePaths): Promise<number> {
  const rooms = (await readdir(sessions).catch(unlessGone)) ?? [];
  return Math.min(...rooms.map((room) => heldSince(join(sessions, room, 'lease.db')) ?? Infinity), Infinity);
}

// Finds the artifacts to which the logs of a home refer. Searches for digests in raw bytes instead of records. A digest
// in a damaged line, in a torn tail, or in a record of a later build therefore counts too.

const DIGEST = /[0-9a-f]{64}/g;
const OVERLAP = 63;

/**
 * Deletes from `unnamed` every digest that is in a log of the home. The logs are read as streams, so little memory is
 * needed.
 *
 * @throws any error of reading, because a log that cannot be read may contain any digest.
 */
async function dropNamed(paths: HomePaths, unnamed: Set<string>): Promise<void> {
  for await (const path of logFiles(paths)) {
    let rest = '';
    const handle = await openFile(path);
    for await (const chunk of handle.createReadStream({ encoding: 'latin1', highWaterMark: 1_048_576 })) {
      const text = `${rest}${String(chunk)}`;
      for (const [digest] of text.matchAll(DIGEST)) unnamed.delete(digest);
      rest = text.slice(-OVERLAP);
    }
  }
}

/**
 * Yields the path of every log file, including an unfinished one of a repair. Never opens `lease.db`: see `lease.ts`.
 */
async function* logFiles({ sessions }: HomePaths): AsyncGenerator<string> {
  for (const room of await namesIn(sessions)) {
    const folder = join(sessions, room);
    const names = await namesIn(folder);
    const logs = names.filter((name) => name.startsWith('log.ndjson'));
    if (logs.length === 0 && names.includes('snapshot')) throw missingLogError(folder);
    for (const name of logs) yield join(folder, name);
  }
}

/**
 * Returns the error for a session folder with a snapshot and without a log. The snapshot proves that there was a log.
 * That log may be restored from a backup, and may contain the only reference to an artifact.
 */
function missingLogError(folder: string): LogError {
  const message = `The log of the session in ${folder} is missing, so it is unknown which artifacts the session uses. Nothing was removed: restore the folder from a backup, or move it away.`;
  return new LogError('log/missing', message, { path: folder });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessGone)) ?? [];
}
