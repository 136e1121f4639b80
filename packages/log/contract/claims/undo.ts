// Contract of the undo store. It keeps the bytes of files before tools changed them. A store may leave it out. Bytes can
// be lost, but wrong bytes are never returned.

import { describe, expect } from 'vitest';
import { digest } from '../../src/ids.ts';
import type { UndoStore } from '../../src/port.ts';
import type { LogFactory, LogUnderTest } from '../log-under-test.ts';
import { appended, created, parentAt, session, sessionWith } from '../samples.ts';
import { claimWhere } from '../with-store.ts';

const A = session('a');
const ABSENT = 'the store keeps no bytes of changed files';
const undoOf = ({ log }: LogUnderTest): UndoStore | undefined => log.undo;

export function claimUndo(factory: LogFactory): void {
  describe('the bytes of a changed file', () => {
    claimWhere(factory, 'are returned unchanged, also to another process', undoOf, ABSENT, async (store, undo) => {
      await (await sessionWith(store.log, A, 1)).close();
      for (const bytes of [Buffer.from('old\n'), Buffer.from([0, 255, 13, 10]), Buffer.alloc(0)]) {
        const kept = await undo.keep(A, bytes);
        if (kept === undefined) throw new Error('not kept');
        expect(Buffer.from((await undo.get(A, kept)) ?? 'none')).toEqual(bytes);
        expect(Buffer.from((await store.reopen().undo?.get(A, kept)) ?? 'none')).toEqual(bytes);
      }
    });

    claimWhere(factory, 'are not kept above the limit', undoOf, ABSENT, async (store, undo) => {
      await (await sessionWith(store.log, A, 1)).close();
      expect(await undo.keep(A, Buffer.alloc(undo.largest + 1))).toBeUndefined();
      expect(await undo.keep(A, Buffer.alloc(undo.largest))).toBeDefined();
    });

    claimWhere(factory, 'belong to their session and its forks', undoOf, ABSENT, async (store, undo) => {
      await (await sessionWith(store.log, A, 1)).close();
      await (await sessionWith(store.log, session('other'), 1)).close();
      const parent = await parentAt(store.log, A, 1);
      const fork = await store.log.create(session('fork'), parent);
      await appended(fork, [created(session('fork'), { parent })]);
      await fork.close();
      const kept = await undo.keep(A, Buffer.from('old'));
      if (kept === undefined) throw new Error('not kept');
      expect(Buffer.from((await undo.get(session('fork'), kept)) ?? '').toString()).toBe('old');
      expect(await undo.get(session('other'), kept)).toBeUndefined();
      expect(await undo.get(A, digest('0'.repeat(64)))).toBeUndefined();
    });

    claimWhere(
      factory,
      'are limited for each session, and the oldest are removed',
      undoOf,
      ABSENT,
      async (store, undo) => {
        await (await sessionWith(store.log, A, 1)).close();
        const kept = [];
        for (let count = 0; count < 10; count += 1) {
          kept.push(await undo.keep(A, Buffer.alloc(undo.largest, count)));
        }
        const found = await Promise.all(kept.map(async (one) => one && (await undo.get(A, one)) !== undefined));
        expect(found[0]).toBe(false);
        expect(found[9]).toBe(true);
        expect(found.indexOf(true)).toBeGreaterThan(found.lastIndexOf(false));
      },
    );
  });
}
