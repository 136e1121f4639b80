// Tests the collection of artifacts and undo bytes.

import type { Digest } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { digestOf, gather } from '@tidemark/log/contract';
import { expect, it } from 'vitest';
import { artifactKeys, removedKey } from '../src/artifact-keys.ts';
import type { CollectObjectsOptions, CollectedObjects } from '../src/collect-objects.ts';
import { collectObjects } from '../src/collect-objects.ts';
import { createObjectArtifacts } from '../src/object-artifacts.ts';
import type { ObjectEntry, ObjectStore } from '../src/object-store.ts';
import { createObjectUndo } from '../src/object-undo.ts';
import { describeStorages, withStorage } from './storages.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NONE = { objects: 0, bytes: 0 };
const NOTHING: CollectedObjects = {
  named: NONE,
  young: NONE,
  setAside: NONE,
  restored: NONE,
  waiting: NONE,
  removed: NONE,
  undo: NONE,
};

async function* these(...digests: readonly Digest[]): AsyncGenerator<Digest> {
  yield* digests;
}

/** Collects as if so many hours had passed. */
function collectIn(
  objects: ObjectStore,
  hours: number,
  named: readonly Digest[] = [],
  options: CollectObjectsOptions = {},
): Promise<CollectedObjects> {
  return collectObjects(objects, these(...named), { now: Date.now() + hours * HOUR, ...options });
}

async function putText(objects: ObjectStore, text: string): Promise<Digest> {
  return (await createObjectArtifacts(objects).put(Buffer.from(text))).digest;
}

async function textOf(objects: ObjectStore, digest: Digest): Promise<string> {
  return Buffer.concat(await gather(createObjectArtifacts(objects).get(digest))).toString();
}

const one = (bytes: number): { objects: number; bytes: number } => ({ objects: 1, bytes });

describeStorages('a collection', (factory) => {
  it('changes nothing in an empty storage', () =>
    withStorage(factory, async ({ objects }) => {
      expect(await collectIn(objects, 99)).toEqual(NOTHING);
    }));

  it('keeps artifacts that a log names, and those that were stored within the grace time', () =>
    withStorage(factory, async ({ objects }) => {
      const named = await putText(objects, 'named');
      const young = await putText(objects, 'young one');
      expect(await collectIn(objects, 23, [named])).toEqual({ ...NOTHING, named: one(5), young: one(9) });
      expect(await collectIn(objects, 3, [named], { grace: 4 * HOUR })).toMatchObject({ young: one(9) });
      expect(await textOf(objects, young)).toBe('young one');
    }));

  it('sets an unnamed artifact aside, where it is still found, and removes it after another grace time', () =>
    withStorage(factory, async ({ objects }) => {
      const large = 'long '.repeat(2_000);
      const digests = [await putText(objects, 'unnamed'), await putText(objects, large)];
      const artifacts = createObjectArtifacts(objects);
      expect(await collectIn(objects, 25)).toMatchObject({ setAside: { objects: 2 }, removed: NONE });
      expect(await objects.stat(artifactKeys(digestOf('unnamed')).plain)).toBeUndefined();
      expect(await Promise.all(digests.map((digest) => artifacts.has(digest)))).toEqual([true, true]);
      expect(await textOf(objects, digestOf('unnamed'))).toBe('unnamed');
      expect(await textOf(objects, digestOf(large))).toBe(large);
      expect(await collectIn(objects, 23)).toMatchObject({ waiting: { objects: 2 }, removed: NONE });
      expect(await collectIn(objects, 25)).toMatchObject({ waiting: NONE, removed: { objects: 2 } });
      expect(await Promise.all(digests.map((digest) => artifacts.has(digest)))).toEqual([false, false]);
      expect(await gather(objects.list(''))).toEqual([]);
    }));

  it('restores an artifact that was set aside and that a log names now', () =>
    withStorage(factory, async ({ objects }) => {
      const digest = await putText(objects, 'again');
      await collectIn(objects, 25);
      expect(await collectIn(objects, 50, [digest])).toEqual({ ...NOTHING, restored: one(5) });
      const keys = (await gather(objects.list(''))).map(({ key }) => key);
      expect(keys).toEqual([artifactKeys(digest).plain]);
      expect(await textOf(objects, digest)).toBe('again');
    }));

  it('keeps an artifact that is stored again between the check and the removal', () =>
    withStorage(factory, async ({ objects }) => {
      const digest = await putText(objects, 'raced');
      const racing: ObjectStore = {
        ...objects,
        async remove(key) {
          if (key === artifactKeys(digest).plain) await putText(objects, 'raced');
          await objects.remove(key);
        },
      };
      await collectIn(racing, 25);
      expect(await textOf(objects, digest)).toBe('raced');
      await collectIn(objects, 50, [digest]);
      expect(await textOf(objects, digest)).toBe('raced');
      expect(await objects.stat(artifactKeys(digest).plain)).toBeDefined();
    }));

  it('keeps an artifact that is stored again after the listing', () =>
    withStorage(factory, async ({ objects }) => {
      const digest = await putText(objects, 'stored again');
      const before = Date.now();
      // The time of the new object is real, so the old one gets its age from the listing.
      const aged: ObjectStore = {
        ...objects,
        async *list(prefix) {
          for await (const entry of objects.list(prefix)) yield { ...entry, changedAt: before - 2 * DAY };
        },
      };
      expect(await collectObjects(aged, these())).toMatchObject({ young: { objects: 1 }, setAside: NONE });
      expect((await gather(objects.list(''))).map(({ key }) => key)).toEqual([artifactKeys(digest).plain]);
    }));

  it('hides no artifact from a reader while it restores the artifact', () =>
    withStorage(factory, async ({ objects }) => {
      const digest = await putText(objects, 'moving');
      await collectIn(objects, 25);
      const racing: ObjectStore = {
        ...objects,
        async get(key) {
          if (key.startsWith('removed/')) await collectIn(objects, 25, [digest]);
          return objects.get(key);
        },
      };
      expect(await textOf(racing, digest)).toBe('moving');
    }));

  it('finishes the work of a killed run at every step', () =>
    withStorage(factory, async ({ objects }) => {
      const digest = await putText(objects, 'kept');
      const { plain } = artifactKeys(digest);
      await objects.copy(plain, removedKey(plain));
      expect(await collectIn(objects, 1, [digest])).toMatchObject({ restored: one(4), named: one(4) });
      expect((await gather(objects.list(''))).map(({ key }) => key)).toEqual([plain]);
      await objects.copy(plain, removedKey(plain));
      expect(await collectIn(objects, 25)).toMatchObject({ removed: one(4), setAside: one(4) });
      expect(await textOf(objects, digest)).toBe('kept');
    }));

  it('reports the same numbers in a dry run and changes nothing', () =>
    withStorage(factory, async ({ objects }) => {
      const named = await putText(objects, 'named');
      await putText(objects, 'unnamed');
      await createObjectUndo(objects, async () => []).keep(sessionId('s'), Buffer.from('undo'));
      const keys = (await gather(objects.list(''))).map(({ key }) => key);
      const expected = { ...NOTHING, named: one(5), setAside: one(7), undo: one(4) };
      expect(await collectIn(objects, 24 * 31, [named], { dryRun: true })).toEqual(expected);
      expect((await gather(objects.list(''))).map(({ key }) => key)).toEqual(keys);
      expect(await collectIn(objects, 24 * 31, [named])).toEqual(expected);
    }));

  it('changes nothing if the names cannot be read to the end', () =>
    withStorage(factory, async ({ objects }) => {
      await putText(objects, 'unnamed');
      async function* broken(): AsyncGenerator<Digest> {
        yield digestOf('other');
        throw new Error('the database is gone');
      }
      const keys = await gather(objects.list(''));
      await expect(collectObjects(objects, broken(), { now: Date.now() + 9 * DAY })).rejects.toThrow(
        'database is gone',
      );
      expect(await gather(objects.list(''))).toEqual(keys);
    }));

  it('removes undo bytes after 30 days', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, async () => []);
      await undo.keep(sessionId('s'), Buffer.from('undo'));
      expect(await collectIn(objects, 24 * 29)).toEqual(NOTHING);
      expect(await collectIn(objects, 24 * 31)).toEqual({ ...NOTHING, undo: one(4) });
      expect(await undo.get(sessionId('s'), digestOf('undo'))).toBeUndefined();
    }));

  // The server for the tests does not answer if an object is removed while it is copied. So the operations do not
  // overlap here.
  it('loses no artifact that a session stores again before any operation of two collections', () =>
    withStorage(factory, async ({ objects }) => {
      for (const naming of ['at once', 'after the collection', 'after both, on the same day'] as const) {
        for (let step = 0; ; step += 1) {
          const text = `${naming} ${step}`;
          const digest = await putText(objects, text);
          const session = storesAtStep(objects, text, step);
          const named: Digest[] = [];
          for (let round = 0; round < 2; round += 1) {
            const names = lazily(() => [...named, ...(naming === 'at once' && session.hasStored() ? [digest] : [])]);
            await collectObjects(session.objects, names);
            if (naming === 'after both, on the same day') continue;
            if (session.hasStored()) named.push(digest);
            session.passDay();
          }
          // The collections have fewer operations.
          if (!session.hasStored()) break;
          await collectObjects(session.objects, these(digest));
          expect(await objects.stat(artifactKeys(digest).plain)).toBeDefined();
          expect(await textOf(objects, digest)).toBe(text);
          await objects.remove(artifactKeys(digest).plain);
        }
      }
    }));
});

async function* lazily(values: () => readonly Digest[]): AsyncGenerator<Digest> {
  yield* values();
}

interface SteppedSession {
  /** The storage for a collection. Before its operation `step`, the session stores the text. */
  readonly objects: ObjectStore;
  hasStored(): boolean;
  /** Makes all objects old. */
  passDay(): void;
}

/** After the session has stored the text, the artifact must be readable before each operation. */
function storesAtStep(objects: ObjectStore, text: string, step: number): SteppedSession {
  let steps = 0;
  let isStored = false;
  /** Keys of the objects that were stored on this day. */
  const today = new Set<string>();
  const before = async (): Promise<void> => {
    if (steps === step) {
      await putText(objects, text);
      isStored = true;
      today.add(artifactKeys(digestOf(text)).plain);
    }
    steps += 1;
    if (isStored) expect(await textOf(objects, digestOf(text))).toBe(text);
  };
  const aged = (entry: ObjectEntry): ObjectEntry => ({
    ...entry,
    changedAt: entry.changedAt - (today.has(entry.key) ? 0 : 2 * DAY),
  });
  const stepped: ObjectStore = {
    ...objects,
    async copy(from, to) {
      await before();
      today.add(to);
      return objects.copy(from, to);
    },
    remove: (key) => before().then(() => objects.remove(key)),
    async stat(key) {
      await before();
      const entry = await objects.stat(key);
      return entry === undefined ? undefined : aged(entry);
    },
    async *list(prefix) {
      await before();
      for await (const entry of objects.list(prefix)) yield aged(entry);
    },
  };
  return { objects: stepped, hasStored: () => isStored, passDay: () => today.clear() };
}
