// Removes the artifacts that no log names. A writer puts an artifact before the record that names it, so one that is not
// named yet must live: all that is younger than an hour stays, and all that was put since the oldest living writer began.

import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LogError } from '@tidemark/log';
import { openFile, unlessGone, unlessThere } from './file-port.ts';
import type { HomePaths, NdjsonOptions } from './home.ts';
import { openHome } from './home.ts';
import type { ArtifactFile } from './inspect-artifacts.ts';
import { artifactFiles } from './inspect-artifacts.ts';
import { heldSince } from './lease.ts';

/** How to collect. */
export interface CollectOptions {
  /** Says what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
  /** The time, in milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/** Files and their bytes on the disk. */
export interface FileTally {
  readonly files: number;
  readonly bytes: number;
}

/** What became of the files under `artifacts`; together they are all. */
export interface Collected {
  /** Removed, or to be removed in a dry run: no log names them. */
  readonly removed: FileTally;
  /** Not named, but so young that a writer may be about to. */
  readonly young: FileTally;
  /** Named by a log. */
  readonly named: FileTally;
}

const HOUR = 3_600_000;
/** A file on its way out. Its own name is behind it, so that the next run can put back what a killed one left. */
const DOOMED = '.doomed-';

/** Removes what no log of the home names. Safe beside running writers. @throws what reading a log throws: then nothing was removed. */
export async function collectGarbage(store: NdjsonOptions, options: CollectOptions = {}): Promise<Collected> {
  const { paths } = openHome(store);
  const { dryRun = false, now = Date.now() } = options;
  if (!dryRun) await putBack(paths);
  const before = Math.min(now - HOUR, await oldestWriter(paths));
  const files: ArtifactFile[] = [];
  for await (const file of artifactFiles(paths)) files.push(file);
  const unnamed = new Set<string>(files.flatMap(({ digest }) => (digest === undefined ? [] : [digest])));
  await dropNamed(paths, unnamed);
  const tallies = { removed: { files: 0, bytes: 0 }, young: { files: 0, bytes: 0 }, named: { files: 0, bytes: 0 } };
  for (const file of files) {
    const fate = await settleFile(file, { unnamed, before, dryRun });
    tallies[fate] = { files: tallies[fate].files + 1, bytes: tallies[fate].bytes + file.bytes };
  }
  return tallies;
}

interface GarbageRule {
  readonly unnamed: ReadonlySet<string>;
  /** What was put since then stays. */
  readonly before: number;
  readonly dryRun: boolean;
}

async function settleFile(file: ArtifactFile, { unnamed, before, dryRun }: GarbageRule): Promise<keyof Collected> {
  if (file.digest !== undefined && !unnamed.has(file.digest)) return 'named';
  if (file.changedAt >= before) return 'young';
  if (dryRun || (await remove(file.path, before))) return 'removed';
  return 'young';
}

/**
 * Takes the file away from its name first, and looks once more: a writer that puts the same bytes meanwhile has renewed
 * it, or finds nothing and writes it anew.
 */
async function remove(path: string, before: number): Promise<boolean> {
  const doomed = join(dirname(path), `${DOOMED}${basename(path)}`);
  await rename(path, doomed);
  const isOld = (await stat(doomed)).mtimeMs < before;
  if (!isOld) await link(doomed, path).catch(unlessThere);
  await rm(doomed);
  return isOld;
}

/** What a run that was killed took away comes back, and is judged like the rest. */
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

/** When the oldest writer that lives took its lock; `Infinity` when none does. */
async function oldestWriter({ sessions }: HomePaths): Promise<number> {
  const rooms = (await readdir(sessions).catch(unlessGone)) ?? [];
  return Math.min(...rooms.map((room) => heldSince(join(sessions, room, 'lease.db')) ?? Infinity), Infinity);
}

// Finds the artifacts that the logs of a home name. Raw bytes are searched, not records, so a name in a damaged line, a torn
// tail or a record of a later build counts as well.

const DIGEST = /[0-9a-f]{64}/g;
const OVERLAP = 63;

/**
 * Takes every digest out of `unnamed` that a log of the home names. Bounded memory: the logs are streamed.
 *
 * @throws whatever reading throws: an unread log may name anything.
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

/** Every file of lines, a half-made one of a repair too. Never `lease.db`: see `lease.ts`. */
async function* logFiles({ sessions }: HomePaths): AsyncGenerator<string> {
  for (const room of await namesIn(sessions)) {
    const folder = join(sessions, room);
    const names = await namesIn(folder);
    const logs = names.filter((name) => name.startsWith('log.ndjson'));
    if (logs.length === 0 && names.includes('snapshot')) throw missingLogError(folder);
    for (const name of logs) yield join(folder, name);
  }
}

/** A snapshot says that there was a log: it may come back from a backup, with names that nobody else has. */
function missingLogError(folder: string): LogError {
  const message = `The log of the session in ${folder} is gone, so nobody can say what it names. Nothing was removed: restore the folder from a backup, or move it away.`;
  return new LogError('log/missing', message, { path: folder });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessGone)) ?? [];
}
