// Removes artifacts that no log names, and old undo bytes, from an object storage. An artifact is removed in two steps,
// because S3 has no operation "remove if it was not stored again". The first collection moves it to `removed/`, where
// readers still find it. A later collection removes it there, or restores it if a log names it.

import { digestIn, ARTIFACTS, REMOVED, removedKey } from './artifact-keys.ts';
import type { ObjectEntry, ObjectStore } from './object-store.ts';

/** Options of `collectObjects`. */
export interface CollectObjectsOptions {
  /** True to report the objects that would be changed, without changing them. */
  readonly dryRun?: boolean;
  /**
   * Time in milliseconds for which an artifact is kept after it was stored, even if no log names it. It must be longer
   * than the time from storing an artifact to committing the record that names it, and longer than the difference
   * between the clocks of this machine and of the storage. The default is 24 hours.
   */
  readonly grace?: number;
  /** Time in milliseconds for which undo bytes are kept. The default is 30 days. */
  readonly undoLife?: number;
  /** Current time in milliseconds since 1970. The default is the system time. */
  readonly now?: number;
}

/** Number of objects, and their total size in the storage in bytes. */
export interface ObjectTally {
  readonly objects: number;
  readonly bytes: number;
}

/** Number and size of the objects by outcome. In a dry run, the outcomes are the expected ones. */
export interface CollectedObjects {
  /** Artifacts to which a log refers. */
  readonly named: ObjectTally;
  /** Recent artifacts to which no log refers. They are kept, because a record that names them may follow. */
  readonly young: ObjectTally;
  /** Artifacts that were moved to `removed/`. Readers still find them. */
  readonly setAside: ObjectTally;
  /** Artifacts in `removed/` to which a log refers again. They were moved back. */
  readonly restored: ObjectTally;
  /** Artifacts in `removed/` that stay for another grace time. */
  readonly waiting: ObjectTally;
  /** Artifacts that were removed permanently. */
  readonly removed: ObjectTally;
  /** Undo bytes that were removed because of their age. */
  readonly undo: ObjectTally;
}

const HOUR = 3_600_000;
const GRACE = 24 * HOUR;
const UNDO_LIFE = 30 * 24 * HOUR;

/**
 * Removes the artifacts to which no log refers. It can run while sessions store artifacts, and a killed run leaves
 * nothing that the next run does not finish. Two runs must not overlap: the caller holds a lock.
 *
 * @param named The digests to which logs refer, ancestors and unreadable records included. It is iterated after the
 *   objects were listed. It may repeat a digest.
 * @throws any error of `named`. In this case nothing was changed. LogError as `ObjectStore.remove` and
 *   `ObjectStore.list` do.
 */
export async function collectObjects(
  objects: ObjectStore,
  named: AsyncIterable<string>,
  options: CollectObjectsOptions = {},
): Promise<CollectedObjects> {
  const rule = ruleOf(options);
  const stored = await gather(objects.list(ARTIFACTS));
  const aside = await gather(objects.list(REMOVED));
  const digests = [...stored, ...aside].flatMap(({ key }) => digestIn(originalKey(key)) ?? []);
  const unnamed = new Set<string>(digests);
  for await (const digest of named) unnamed.delete(digest);
  const tallies = { named: NONE, young: NONE, setAside: NONE, restored: NONE, waiting: NONE, removed: NONE };
  const round: Round = { objects, unnamed, rule };
  for (const entry of aside) {
    const fate = await settleAside(round, entry);
    tallies[fate] = plus(tallies[fate], entry);
  }
  for (const entry of stored) {
    const fate = await settle(round, entry);
    tallies[fate] = plus(tallies[fate], entry);
  }
  if (!rule.dryRun) await objects.tidy();
  return { ...tallies, undo: await collectUndo(objects, rule) };
}

interface CollectRule {
  readonly dryRun: boolean;
  /** Time in milliseconds since 1970. Artifacts that were stored at this time or later are kept. */
  readonly before: number;
  readonly undoBefore: number;
}

interface Round {
  readonly objects: ObjectStore;
  readonly unnamed: ReadonlySet<string>;
  readonly rule: CollectRule;
}

function ruleOf(options: CollectObjectsOptions): CollectRule {
  const { dryRun = false, grace = GRACE, undoLife = UNDO_LIFE, now = Date.now() } = options;
  return { dryRun, before: now - grace, undoBefore: now - undoLife };
}

const NONE: ObjectTally = { objects: 0, bytes: 0 };

function plus(tally: ObjectTally, { size }: ObjectEntry): ObjectTally {
  return { objects: tally.objects + 1, bytes: tally.bytes + size };
}

async function gather(entries: AsyncIterable<ObjectEntry>): Promise<readonly ObjectEntry[]> {
  const all: ObjectEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

function originalKey(key: string): string {
  return key.startsWith(REMOVED) ? key.slice(REMOVED.length) : key;
}

/** Decides about an artifact at its own key. An object whose key is not the key of an artifact counts as unnamed. */
async function settle(
  { objects, unnamed, rule }: Round,
  { key, changedAt }: ObjectEntry,
): Promise<'named' | 'young' | 'setAside'> {
  const digest = digestIn(key);
  if (digest !== undefined && !unnamed.has(digest)) return 'named';
  if (changedAt >= rule.before) return 'young';
  if (rule.dryRun) return 'setAside';
  await objects.copy(key, removedKey(key));
  // A session may have stored the same bytes again since the objects were listed. If it does so after this check, the
  // copy serves its record until the next collection restores it.
  const now = await objects.stat(key);
  if (now !== undefined && now.changedAt >= rule.before) {
    await objects.remove(removedKey(key));
    return 'young';
  }
  await objects.remove(key);
  return 'setAside';
}

/** Decides about an artifact that an earlier collection moved to `removed/`. */
async function settleAside(
  { objects, unnamed, rule }: Round,
  { key, changedAt }: ObjectEntry,
): Promise<'restored' | 'waiting' | 'removed'> {
  const original = originalKey(key);
  const digest = digestIn(original);
  if (digest !== undefined && !unnamed.has(digest)) {
    if (!rule.dryRun) {
      if ((await objects.stat(original)) === undefined) await objects.copy(key, original);
      await objects.remove(key);
    }
    return 'restored';
  }
  if (changedAt >= rule.before) return 'waiting';
  if (!rule.dryRun) await objects.remove(key);
  return 'removed';
}

/** Removes undo bytes by age. The bytes of one file can be lost at any time, and then the file cannot be restored. */
async function collectUndo(objects: ObjectStore, { dryRun, undoBefore }: CollectRule): Promise<ObjectTally> {
  let tally = NONE;
  for await (const entry of objects.list('undo/')) {
    if (entry.changedAt >= undoBefore) continue;
    if (!dryRun) await objects.remove(entry.key);
    tally = plus(tally, entry);
  }
  return tally;
}
