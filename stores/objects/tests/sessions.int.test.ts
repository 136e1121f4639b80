// Tests what belongs to a session in an object storage: its snapshot and its undo bytes.

import { sessionId } from '@tidemark/log';
import { digestOf, gather } from '@tidemark/log/contract';
import { expect, it } from 'vitest';
import { createObjectSnapshots } from '../src/object-snapshots.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { createObjectUndo } from '../src/object-undo.ts';
import { describeStorages, withStorage } from './storages.ts';

const [a, b, c] = [sessionId('a'), sessionId('b'), sessionId('c')];
const MIB = 1_024 * 1_024;
const noAncestors = async (): Promise<readonly []> => [];

async function keysIn(objects: ObjectStore): Promise<readonly string[]> {
  return (await gather(objects.list(''))).map(({ key }) => key).toSorted();
}

describeStorages('a snapshot', (factory) => {
  it('is the one that was stored last, and it is removed with its session', () =>
    withStorage(factory, async ({ objects, reopen }) => {
      const snapshots = createObjectSnapshots(objects);
      expect(await snapshots.get(a)).toBeUndefined();
      await snapshots.put(a, Buffer.from('first'));
      await snapshots.put(a, Buffer.from('second\0'));
      await snapshots.put(b, Buffer.from('other'));
      expect(Buffer.from((await createObjectSnapshots(reopen()).get(a)) ?? []).toString()).toBe('second\0');
      await snapshots.remove(a);
      await snapshots.remove(a);
      expect(await snapshots.get(a)).toBeUndefined();
      expect(await keysIn(objects)).toEqual(['snapshots/b']);
    }));
});

describeStorages('the undo bytes of a session', (factory) => {
  it('are found through its ancestors, the nearest first, and not through other sessions', () =>
    withStorage(factory, async ({ objects }) => {
      const asked: string[] = [];
      const undo = createObjectUndo(objects, async (session) => {
        asked.push(session);
        return session === c ? [b, a] : [];
      });
      const digest = await undo.keep(a, Buffer.from('of a'));
      const own = await undo.keep(c, Buffer.from('of c'));
      if (digest === undefined || own === undefined) throw new Error('not kept');
      expect(Buffer.from((await undo.get(c, digest)) ?? []).toString()).toBe('of a');
      expect(await undo.get(b, digest)).toBeUndefined();
      expect(asked.splice(0)).toEqual([c, b]);
      expect(Buffer.from((await undo.get(c, own)) ?? []).toString()).toBe('of c');
      expect(asked).toEqual([]);
    }));

  it('are not returned if they are damaged', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, noAncestors);
      await undo.keep(a, Buffer.from('sound'));
      await objects.put(`undo/a/${digestOf('sound')}`, Buffer.from('wrong'));
      expect(await undo.get(a, digestOf('sound'))).toBeUndefined();
      await undo.keep(a, Buffer.from('sound'));
      expect(await undo.get(a, digestOf('sound'))).toBeDefined();
    }));

  it('that were kept again are the newest', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, noAncestors);
      const large = (fill: number): Buffer => Buffer.alloc(undo.largest, fill);
      for (let fill = 0; fill < 8; fill += 1) await undo.keep(a, large(fill));
      await undo.keep(a, large(0));
      await undo.keep(a, Buffer.from('one more'));
      expect(await undo.get(a, digestOf(large(0)))).toBeDefined();
      expect(await undo.get(a, digestOf(large(1)))).toBeUndefined();
    }));

  it('lose large files before older small ones', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, noAncestors);
      await undo.keep(a, Buffer.from('small and old'));
      for (let fill = 0; fill < 9; fill += 1) await undo.keep(a, Buffer.alloc(undo.largest, fill));
      expect(await undo.get(a, digestOf('small and old'))).toBeDefined();
      expect((await gather(objects.list('undo/a/'))).length).toBe(8);
    }));

  it('keep the file that was just kept, also if it is the only large one', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, noAncestors);
      const small = (fill: number): Buffer => Buffer.alloc(MIB - 1, fill);
      for (let fill = 0; fill < 64; fill += 1) await objects.put(`undo/a/${digestOf(small(fill))}`, small(fill));
      const large = await undo.keep(a, Buffer.alloc(undo.largest, 'x'));
      if (large === undefined) throw new Error('not kept');
      expect(await undo.get(a, large)).toBeDefined();
      expect((await gather(objects.list('undo/a/'))).length).toBeLessThan(64);
    }));

  it('are removed with the session', () =>
    withStorage(factory, async ({ objects }) => {
      const undo = createObjectUndo(objects, noAncestors);
      for (const session of [a, b]) for (const text of ['1', '2']) await undo.keep(session, Buffer.from(text));
      await undo.remove(a);
      expect(await keysIn(objects)).toEqual([`undo/b/${digestOf('1')}`, `undo/b/${digestOf('2')}`].toSorted());
    }));

  it('fail with the error of the storage if they cannot be written', () =>
    withStorage(factory, async ({ objects }) => {
      const refusing: ObjectStore = { ...objects, put: () => Promise.reject(new TypeError('refused')) };
      await expect(createObjectUndo(refusing, noAncestors).keep(a, Buffer.from('x'))).rejects.toThrow('refused');
    }));
});

it('the snapshot of a session reads as `undefined` above 512 MiB', async () => {
  const piece = Buffer.alloc(64 * 1_024 * 1_024);
  let yielded = 0;
  const endless: Pick<ObjectStore, 'get'> = {
    get: async () =>
      (async function* () {
        for (;;) {
          yielded += 1;
          yield piece;
        }
      })(),
  };
  const none = (): never => {
    throw new Error('not used');
  };
  const objects: ObjectStore = {
    ...endless,
    place: 'test',
    put: none,
    copy: none,
    stat: none,
    list: none,
    remove: none,
    tidy: none,
    close: none,
  };
  expect(await createObjectSnapshots(objects).get(a)).toBeUndefined();
  expect(yielded).toBe(9);
});
