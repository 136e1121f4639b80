// Reads a session together with its ancestors.

import type { Chain, Lineage, Parent, Recorded, SessionId, Tip } from '@tidemark/log';
import { LogError, diverged, lineageOf, readLineage } from '@tidemark/log';
import type { Home } from './home.ts';
import { begin, readOwn } from './read-log.ts';

/** Returns the segments of a session's log, across the session and all its ancestors. */
export function lineage(home: Home, session: SessionId): Promise<Lineage> {
  return lineageOf(session, (name) => begin(home, name));
}

/** Yields the records `from` (inclusive) to `to` (exclusive), including those of ancestors, in batches. */
export async function* readSession(
  home: Home,
  session: SessionId,
  from: number,
  to: number,
): AsyncGenerator<readonly Recorded[]> {
  const origins = await lineage(home, session);
  yield* readLineage(origins, from, to, (name, first, end) => readOwn(home, name, first, end));
}

async function recordAt(home: Home, session: SessionId, position: number): Promise<Recorded | undefined> {
  for await (const [record] of readSession(home, session, position, position + 1)) return record;
  return undefined;
}

/**
 * Returns the chain digest after the first `length` records. Returns `undefined` if the last of these records does not
 * exist or cannot be read.
 */
export async function chainAt(home: Home, session: SessionId, length: number): Promise<Chain | undefined> {
  try {
    return (await recordAt(home, session, length - 1))?.chain;
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}

/**
 * Returns the tip that a fork continues from: the end of the records that it shares with its parent.
 *
 * @throws LogError `log/parent-missing` when the parent does not exist, `log/parent-diverged` when the parent does not
 *   contain the forked record.
 */
export async function forkTip(home: Home, parent: Parent): Promise<Tip> {
  const record = await parentRecord(home, parent);
  if (record === undefined) throw diverged(parent, `that session ends before position ${parent.position}`);
  if (record.chain !== parent.chain) throw diverged(parent, 'that position now contains another record');
  return { length: record.position + 1, chain: record.chain, fence: record.fence };
}

async function parentRecord(home: Home, parent: Parent): Promise<Recorded | undefined> {
  try {
    return await recordAt(home, parent.session, parent.position);
  } catch (cause) {
    if (!(cause instanceof LogError) || cause.code !== 'log/missing') throw cause;
    const message = `Session ${parent.session} cannot be forked, because it does not exist here. Restore it, or begin without a parent.`;
    throw new LogError('log/parent-missing', message, { parent: parent.session, position: parent.position }, cause);
  }
}
