// L9: whatever is not the log can be thrown away: kept lines, folded states, snapshots, locks, indexes. Nothing changes.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyFold, foldIn, readFold, snapshotOf, verifySession } from '@tidemark/agent';
import type { Entry } from './book.ts';
import { readBook, saidBy } from './book.ts';
import type { Command, Story } from './commands.ts';
import type { Driver } from './driver.ts';
import { newPlace, within } from './place.ts';
import { encoders } from './server.ts';
import type { World } from './try-stories.ts';
import { playAndCheck, tryStories, WORLDS } from './try-stories.ts';

describe.each(WORLDS)('L9 on $store against $provider', (world) => {
  it('L9: a process that starts again before everything it does writes the same log, forecasts included', async () => {
    await tryStories({ world, runs: 4, length: 20 }, async (driver, told) => {
      const restless = await bookOf(world, {
        ...told,
        commands: told.commands.flatMap((one): readonly Command[] => [{ do: 'restart' }, one]),
      });
      expect(restless.map(saidBy)).toEqual((await readBook(driver.log, driver.session.writer.session)).map(saidBy));
    });
  });

  it('L9: a process that starts again from a snapshot, and the records behind it, writes the same log', async () => {
    await tryStories({ world, runs: 4, length: 20 }, async (driver, told) => {
      const kept = await bookOf(world, {
        ...told,
        commands: told.commands.flatMap((one, index): readonly Command[] => [
          ...(index % 3 === 0 ? [{ do: 'keep-snapshot' } as const] : []),
          { do: 'restart' },
          one,
        ]),
      });
      expect(kept.map(saidBy)).toEqual((await readBook(driver.log, driver.session.writer.session)).map(saidBy));
    });
  });

  it('L9: a snapshot of any beginning, and the records behind it, fold to what the whole log folds to', async () => {
    await tryStories({ world, runs: 3, length: 12 }, async ({ log, session }) => {
      const id = session.writer.session;
      const whole = (await readFold(log, id)).fold;
      const cut = emptyFold();
      for await (const record of log.read(id)) {
        foldIn(cut, record);
        await log.putSnapshot(id, snapshotOf(cut, record.chain));
        const { fold, kept } = await readFold(log, id);
        expect(kept).toBe(record.position + 1);
        expect(fold).toStrictEqual(whole);
      }
    });
  });

  it('L9: a process that never starts again writes the same log too', async () => {
    await tryStories({ world, runs: 4, length: 20 }, async (driver, told) => {
      const settled = await bookOf(world, { ...told, commands: told.commands.filter((one) => one.do !== 'restart') });
      expect(settled.map(saidBy)).toEqual((await readBook(driver.log, driver.session.writer.session)).map(saidBy));
    });
  });
});

describe.each(WORLDS.filter(({ store }) => store === 'ndjson'))('L9 in a folder against $provider', (world) => {
  it('L9: with snapshots that are rubbish, and with every derived file deleted, all is the same', async () => {
    await tryStories({ world, runs: 6 }, async (driver) => {
      const id = driver.session.writer.session;
      const { log, place } = driver;
      const before = await found(driver);
      const [last] = (await readBook(log, id)).slice(-1).map(({ record }) => record);
      if (last === undefined) throw new Error('the log is empty');
      await log.putSnapshot(id, {
        length: last.position + 1,
        chain: last.chain,
        revision: 'rubbish',
        bytes: new Uint8Array([1, 2, 3]),
      });
      expect(await found(driver)).toEqual(before);
      await driver.session.writer.close();
      expect(removeDerived(place.home ?? '')).not.toEqual([]);
      expect(await found(driver)).toEqual(before);
    });
  });
});

/** The log that a story makes in a place of its own. */
async function bookOf(world: World, told: Story): Promise<readonly Entry[]> {
  let book: readonly Entry[] = [];
  await within(newPlace(world.store), (place) =>
    playAndCheck(place, world, told, async ({ log, session }) => {
      book = await readBook(log, session.writer.session);
    }),
  );
  return book;
}

async function found({ place, session }: Driver): Promise<unknown> {
  const id = session.writer.session;
  return {
    verified: await verifySession(place.open(), id, { encoders }),
    book: await readBook(place.open(), id),
    list: await place.open().sessions(),
  };
}

/** Removes every file of a home that is neither a log nor an artifact, and names them. */
function removeDerived(home: string): readonly string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const derived = files.filter(({ name, parentPath }) => name !== 'log.ndjson' && !parentPath.includes('artifacts'));
  for (const { name, parentPath } of derived) rmSync(join(parentPath, name));
  return derived.map(({ name }) => name);
}
