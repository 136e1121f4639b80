// Folders that are still there after a power loss: a new name is on stable storage once its folder was flushed.

import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '@tidemark/files';

/** The folders of one home. */
export interface Folders {
  /** The folder is there, for its owner only, and so are the names that lead to it from the home. */
  make(path: string): Promise<void>;
  /** The names in it are on stable storage. Who asks while a flush waits for its turn shares that one. */
  flush(path: string): Promise<void>;
}

/** Each folder is made durable once in the life of a process: another one may have been killed before it could. */
export function createFolders(home: string, flushOne: (path: string) => Promise<void> = flushFolder): Folders {
  const durable = new Set<string>();
  const flush = shareRuns(flushOne);
  return {
    flush,
    async make(path) {
      const highest = await makeFolder(path, 0o700);
      if (highest !== undefined) for (const folder of pathsBetween(path, dirname(highest))) durable.delete(folder);
      const top = highest !== undefined && highest.length <= home.length ? dirname(highest) : home;
      const fresh = pathsBetween(path, top).filter((folder) => !durable.has(folder));
      await Promise.all(fresh.map((folder) => flush(dirname(folder))));
      for (const folder of fresh) durable.add(folder);
    },
  };
}

/** A path and those above it, as far as `top`, which is left out. */
function pathsBetween(path: string, top: string): readonly string[] {
  const found: string[] = [];
  for (let folder = path; folder.length > top.length; folder = dirname(folder)) found.push(folder);
  return found;
}

/** Flushes the names in a folder. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Lets one run of each name go at a time. Callers that come during a run share the next one, which begins after it. */
export function shareRuns(run: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const begin = (name: string): Promise<void> => {
    next.delete(name);
    const mine = run(name).finally(() => running.get(name) === mine && running.delete(name));
    running.set(name, mine);
    return mine;
  };
  return (name) => {
    const waiting = next.get(name);
    if (waiting !== undefined) return waiting;
    const before = running.get(name);
    if (before === undefined) return begin(name);
    const mine = before.catch(() => undefined).then(() => begin(name));
    next.set(name, mine);
    return mine;
  };
}
