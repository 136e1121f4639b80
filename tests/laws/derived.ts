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

/** Number of records between two folds that are continued from the log. */
const READ_ON = 8;

const RESTART: Command = { do: 'restart' };

/** Returns the commands of a process that restarts before each of them. */
export function restartingAlways(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((one) => [RESTART, one]);
}

/** Returns the commands of a process that restarts before each of them, and keeps a snapshot before every third restart. */
export function restartingFromSnapshots(commands: readonly Command[]): readonly Command[] {
  const snapshot: Command = { do: 'keep-snapshot' };
  return commands.flatMap((one, index) => [...(index % 3 === 0 ? [snapshot] : []), RESTART, one]);
}

/** Returns the commands of a process that never restarts. */
export function restartingNever(commands: readonly Command[]): readonly Command[] {
  return commands.filter((one) => one.do !== 'restart');
}

/** Expects the same log from a story whose process restarts at other moments. */
export async function expectSameLog(
  { world, story, book }: LoopPlayed,
  restarting: (commands: readonly Command[]) => readonly Command[],
): Promise<void> {
  await playLoop(world, { ...story, commands: restarting(story.commands) }, async (again) =>
    expectSame(factsOf(again.book), factsOf(book)),
  );
}

/**
 * Expects that a fold which is stored after each record and continued from its snapshot ends as the fold of the whole log.
 * `readFold` has to use each snapshot.
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
      // Now and then the rest is also read from the log, as a process does that opens the session.
      if (end % READ_ON === 0) expect((await readFold(log, id)).fold).toStrictEqual(whole);
    }
    expect(fold).toStrictEqual(whole);
  });
}

/** Expects no change from useless snapshots, and from the loss of every file that is neither a log nor an artifact. */
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

/** Removes every file of a home that is neither a log nor an artifact. Returns the names of the files. */
function removeDerived(home: string): readonly string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const derived = files.filter(({ name, parentPath }) => name !== 'log.ndjson' && !parentPath.includes('artifacts'));
  for (const { name, parentPath } of derived) rmSync(join(parentPath, name));
  return derived.map(({ name }) => name);
}
