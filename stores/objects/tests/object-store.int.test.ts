// Tests the interface of an object storage, equally for a folder and a bucket.

import { Readable } from 'node:stream';
import { digestOf, gather } from '@tidemark/log/contract';
import { expect, it } from 'vitest';
import type { ObjectStore } from '../src/object-store.ts';
import { describeStorages, withStorage } from './storages.ts';

async function textOf(objects: ObjectStore, key: string): Promise<string | undefined> {
  const bytes = await objects.get(key);
  return bytes === undefined ? undefined : Buffer.concat(await gather(bytes)).toString();
}

async function keysIn(objects: ObjectStore, prefix: string): Promise<readonly string[]> {
  return (await gather(objects.list(prefix))).map(({ key }) => key).toSorted();
}

const INVALID = ['', '/a', 'a/', 'a//b', '../a', 'a/../b', 'a/./b', '.a', 'a/.b', 'a b', 'ä', 'a\\b', 'a\0'];

describeStorages('an object', (factory) => {
  it('is replaced as a whole, and another instance reads it', () =>
    withStorage(factory, async ({ objects, reopen }) => {
      await objects.put('a/b.c', Buffer.from('first'));
      await objects.put('a/b.c', Buffer.from('2'));
      expect(await textOf(reopen(), 'a/b.c')).toBe('2');
      expect(await reopen().stat('a/b.c')).toMatchObject({ key: 'a/b.c', size: 1 });
    }));

  it('can be empty', () =>
    withStorage(factory, async ({ objects }) => {
      await objects.put('empty', new Uint8Array());
      expect(await textOf(objects, 'empty')).toBe('');
      expect(await objects.stat('empty')).toMatchObject({ size: 0 });
    }));

  it('is stored from a file', () =>
    withStorage(factory, async ({ objects }) => {
      const bytes = Buffer.alloc(300_000, 'x');
      const read = (): Readable => Readable.from([bytes.subarray(0, 9), bytes.subarray(9)], { objectMode: false });
      await objects.put('large', { size: bytes.length, sha256: digestOf(bytes), read });
      expect(await textOf(objects, 'large')).toBe(bytes.toString());
    }));

  it('has the time of its last `put`', () =>
    withStorage(factory, async ({ objects }) => {
      const before = Math.floor(Date.now() / 1_000) * 1_000;
      await objects.put('a', Buffer.from('a'));
      const [listed] = await gather(objects.list(''));
      for (const entry of [listed, await objects.stat('a')]) {
        expect(entry?.changedAt).toBeGreaterThanOrEqual(before);
        expect(entry?.changedAt).toBeLessThanOrEqual(Date.now() + 1_000);
      }
    }));

  it('that does not exist is `undefined`, and removing it does nothing', () =>
    withStorage(factory, async ({ objects }) => {
      await objects.put('a/b', Buffer.from('x'));
      for (const key of ['b', 'a/c', 'a/b/c']) {
        expect([await objects.get(key), await objects.stat(key)]).toEqual([undefined, undefined]);
        expect(await objects.copy(key, 'copy')).toBe(false);
        await objects.remove(key);
      }
      expect(await keysIn(objects, '')).toEqual(['a/b']);
    }));

  it('is gone after `remove`', () =>
    withStorage(factory, async ({ objects, reopen }) => {
      await objects.put('a', Buffer.from('x'));
      await objects.remove('a');
      expect(await reopen().get('a')).toBeUndefined();
    }));

  it('is copied to another key', () =>
    withStorage(factory, async ({ objects }) => {
      await objects.put('a/b', Buffer.from('text'));
      await objects.put('c/d', Buffer.from('other'));
      expect(await objects.copy('a/b', 'c/d')).toBe(true);
      expect([await textOf(objects, 'a/b'), await textOf(objects, 'c/d')]).toEqual(['text', 'text']);
    }));

  it('is listed by the prefix of its key, and the prefix ends at a slash', () =>
    withStorage(factory, async ({ objects, reopen }) => {
      for (const key of ['a/1', 'a/b/2', 'ab/3', '4']) await objects.put(key, Buffer.from(key));
      expect(await keysIn(reopen(), '')).toEqual(['4', 'a/1', 'a/b/2', 'ab/3']);
      expect(await keysIn(objects, 'a/')).toEqual(['a/1', 'a/b/2']);
      expect(await keysIn(objects, 'a/b/')).toEqual(['a/b/2']);
      expect(await keysIn(objects, 'none/')).toEqual([]);
      for (const prefix of ['a', '/', '../']) expect(() => objects.list(prefix)).toThrow(TypeError);
    }));

  it('is refused if its key could leave the storage or has other characters', () =>
    withStorage(factory, async ({ objects }) => {
      for (const key of INVALID) {
        expect(() => objects.put(key, new Uint8Array())).toThrow(TypeError);
        expect(() => objects.get(key)).toThrow(TypeError);
        expect(() => objects.stat(key)).toThrow(TypeError);
        expect(() => objects.remove(key)).toThrow(TypeError);
        expect(() => objects.copy(key, 'a')).toThrow(TypeError);
        expect(() => objects.copy('a', key)).toThrow(TypeError);
      }
    }));

  it('can be read in part', () =>
    withStorage(factory, async ({ objects }) => {
      await objects.put('a', Buffer.alloc(500_000, 'x'));
      for await (const piece of (await objects.get('a')) ?? []) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
      await objects.put('a', Buffer.from('again'));
      expect(await textOf(objects, 'a')).toBe('again');
    }));
});
