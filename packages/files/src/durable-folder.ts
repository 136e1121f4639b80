// Makes folders that survive a power loss. A new name is on stable storage only after its folder was flushed.

import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Functions that make the folders below one folder, the home, and flush them to stable storage. */
export interface Folders {
  /**
   * Makes a folder that only its owner can read. When the promise resolves, the folder and all folders between the
   * folder and the home are on stable storage.
   */
  make(path: string): Promise<void>;
  /**
   * Flushes a folder. When the promise resolves, the names in the folder are on stable storage. Callers that arrive
   * while a flush waits for its turn share that flush.
   */
  flush(path: string): Promise<void>;
}

/**
 * Creates the folder functions of a home. If a folder already exists, `make` still flushes it one time. Another process
 * may have created the folder, and may have been killed before the flush.
 */
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

/** Returns a path and the folders above it, up to `top`. `top` itself is not included. */
function pathsBetween(path: string, top: string): readonly string[] {
  const found: string[] = [];
  for (let folder = path; folder.length > top.length; folder = dirname(folder)) found.push(folder);
  return found;
}

/** Flushes the names in a folder to stable storage. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns a function that limits `run` to one run at a time for each name. Callers that arrive during a run share the
 * next run, which begins after the current run.
 */
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
