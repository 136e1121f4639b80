// Contract of snapshots: a saved fold state is used only if it matches the log and the fold (L9).

import { describe, expect } from 'vitest';
import { chain } from '../../src/ids.ts';
import type { Snapshot } from '../../src/port.ts';
import type { LogFactory } from '../log-under-test.ts';
import { appended, created, fails, parentAt, prompts, session, sessionWith, texts } from '../samples.ts';
import { claim } from '../with-store.ts';

const state = new TextEncoder().encode('state\n\0of the fold');

export function claimSnapshots(factory: LogFactory): void {
  describe('a snapshot', () => {
    claim(factory, 'is returned unchanged, and the latest one replaces earlier ones', async ({ log, reopen }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 3);
      expect(await log.getSnapshot(id)).toBeUndefined();
      const at = async (length: number): Promise<Snapshot> => ({
        length,
        chain: (await parentAt(log, id, length - 1)).chain,
        revision: 'fold/1',
        bytes: state,
      });
      await log.putSnapshot(id, await at(2));
      await log.putSnapshot(id, await at(4));
      await appended(writer, prompts(2, 3));
      for (const store of [log, reopen()]) {
        expect(await store.getSnapshot(id)).toEqual(await at(4));
        expect(await texts(store, id, 4)).toEqual(['3', '4']);
      }
      await log.putSnapshot(id, await at(3));
      expect((await reopen().getSnapshot(id))?.length).toBe(3);
      await writer.close();
    });

    claim(
      factory,
      'of another history or another fold, or beyond the end of the log, is not returned',
      async ({ log, reopen }) => {
        const id = session('a');
        const writer = await sessionWith(log, id, 3);
        const { chain: right } = await parentAt(log, id, 2);
        const sound: Snapshot = { length: 3, chain: right, revision: 'fold/1', bytes: state };
        const wrong: Snapshot[] = [
          { ...sound, chain: chain('feedfeedfeedfeed') },
          { ...sound, length: 2 },
          { ...sound, length: 99 },
          { ...sound, length: 0 },
        ];
        for (const snapshot of wrong) {
          await log.putSnapshot(id, snapshot);
          expect(await reopen().getSnapshot(id)).toBeUndefined();
        }
        await log.putSnapshot(id, sound);
        expect(await reopen().getSnapshot(id, 'fold/2')).toBeUndefined();
        expect(await reopen().getSnapshot(id, 'fold/1')).toEqual(sound);
        await writer.close();
      },
    );

    claim(factory, 'that is damaged is not returned', async ({ log, reopen, damageSnapshot }) => {
      const id = session('a');
      const writer = await sessionWith(log, id, 3);
      await log.putSnapshot(id, { length: 4, chain: writer.chain, revision: 'fold/1', bytes: state });
      await damageSnapshot(id);
      expect(await reopen().getSnapshot(id)).toBeUndefined();
      await writer.close();
    });

    claim(factory, 'of a fork may end within the records of the parent', async ({ log, reopen }) => {
      const [a, b] = [session('a'), session('b')];
      const parent = await sessionWith(log, a, 4);
      const at = await parentAt(log, a, 3);
      const writer = await log.create(b, at);
      await appended(writer, [created(b, { parent: at }), ...prompts(2, 50)]);
      for (const length of [3, 4, 6]) {
        const snapshot = {
          length,
          chain: (await parentAt(log, b, length - 1)).chain,
          revision: 'fold/1',
          bytes: state,
        };
        await log.putSnapshot(b, snapshot);
        expect(await reopen().getSnapshot(b)).toEqual(snapshot);
      }
      await writer.close();
      await parent.close();
    });

    claim(factory, 'of a session that does not exist is refused', async ({ log }) => {
      const nobody = session('nobody');
      await fails(
        log.putSnapshot(nobody, { length: 1, chain: chain('0'.repeat(16)), revision: 'fold/1', bytes: state }),
        'log/missing',
      );
    });
  });
}
