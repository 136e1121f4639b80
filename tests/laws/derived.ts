// Derived state (L9): caches in memory, folds, snapshots, locks and indexes can be deleted, and nothing changes.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFold, foldIn, readFold, snapshotOf, verifySession } from '@tidemark/agent';
import { expect } from 'vitest';
import { expectSame, factsOf, readBook } from './book.ts';
import type { Command } from './loop-commands.ts';
import type { LoopPlayed, Played } from './play.ts';
import { playLoop } from './play.ts';
import type { Place } from './place.ts';
import { within } from './place.ts';
import { encoders } from './server.ts';

/** At every eighth record, the rest of the log is also folded from a snapshot. */
const READ_ON = 8;

const RESTART: Command = { do: 'restart' };

/** Inserts a restart before each command. */
export function restartingAlways(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((one) => [RESTART, one]);
}

/**
 * Inserts a restart before each command. Stores a snapshot before the first restart and before every third restart
 * after it.
 */
export function restartingFromSnapshots(commands: readonly Command[]): readonly Command[] {
  const snapshot: Command = { do: 'keep-snapshot' };
  return commands.flatMap((one, index) => [...(index % 3 === 0 ? [snapshot] : []), RESTART, one]);
}

/** Removes all restarts from the commands. */
export function restartingNever(commands: readonly Command[]): readonly Command[] {
  return commands.filter((one) => one.do !== 'restart');
}

/** Plays the story again with restarts at other places, and expects the same log. */
export async function expectSameLog(
  { world, story, book }: LoopPlayed,
  restarting: (commands: readonly Command[]) => readonly Command[],
): Promise<void> {
  await playLoop(world, { ...story, commands: restarting(story.commands) }, async (again) =>
    expectSame(factsOf(again.book), factsOf(book)),
  );
}

/**
 * After each record, stores a snapshot of the fold and continues from this snapshot. Expects that `readFold` uses every
 * snapshot, and that the result equals the fold of the whole log.
 */
export async function expectFoldFromSnapshots({ place, id, book }: Played): Promise<void> {
  const whole = (await readFold(place.open(), id)).fold;
  await within(place.copyWith(id, place.bytesOf(id)), async (copy) => {
    const log = copy.open();
    let fold = emptyFold();
    for (const record of book.records) {
      foldIn(fold, record);
      const end = record.position + 1;
      await log.putSnapshot(id, snapshotOf(fold, record.chain));
      const held = await readFold(log, id, end);
      expect(held.kept).toBe(end);
      fold = held.fold;
      // At some positions, also folds the rest of the log from the snapshot, as a process does that opens the session.
      if (end % READ_ON === 0) expect((await readFold(log, id)).fold).toStrictEqual(whole);
    }
    expect(fold).toStrictEqual(whole);
  });
}

/**
 * Expects that the session reads the same after an unusable snapshot is stored, and after every file that is neither a
 * log nor an artifact is removed.
 */
export async function expectNothingFromDerivedFiles({ place, id, book }: Played): Promise<void> {
  await within(place.copyWith(id, place.bytesOf(id)), async (copy) => {
    const last = book.records.at(-1);
    if (last === undefined) throw new Error('the log is empty');
    const before = await foundIn(copy, id);
    const rubbish = { revision: 'rubbish', bytes: new Uint8Array([1, 2, 3]) };
    await copy.open().putSnapshot(id, { length: last.position + 1, chain: last.chain, ...rubbish });
    expectSame(await foundIn(copy, id), before);
    expect(removeDerived(copy.home ?? '')).not.toEqual([]);
    expectSame(await foundIn(copy, id), before);
  });
}

async function foundIn(place: Place, id: Played['id']): Promise<unknown> {
  return {
    verified: await verifySession(place.open(), id, { encoders }),
    records: (await readBook(place.open(), id)).entries,
    list: await place.open().sessions(),
  };
}

function removeDerived(home: string): readonly string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const derived = files.filter(({ name, parentPath }) => name !== 'log.ndjson' && !parentPath.includes('artifacts'));
  for (const { name, parentPath } of derived) rmSync(join(parentPath, name));
  return derived.map(({ name }) => name);
}
