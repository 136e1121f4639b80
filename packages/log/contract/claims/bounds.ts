// Contract for long logs: a store reads them with little memory. See anthropics/claude-code#79196 (12.4 GB to resume)
// and #72667 (an 80 MB file hangs).

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect } from 'vitest';
import type { LogFactory } from '../log-under-test.ts';
import { appended, gather, prompts, textOrKind, session, sessionWith, texts } from '../samples.ts';
import { claim } from '../with-store.ts';

const LONG = process.env['TIDEMARK_FULL'] === '1' ? 1_000_000 : 100_000;
const BATCH = 2_000;
const MEGABYTE = 1_048_576;

export function claimBounds(factory: LogFactory): void {
  describe('a store', () => {
    claim(
      factory,
      `reads ${LONG} records in order, and its memory does not grow with their number`,
      async ({ log, reopen }) => {
        const id = session('long');
        const writer = await sessionWith(log, id, 0);
        for (let at = 0; at < LONG; at += BATCH) await appended(writer, prompts(BATCH, at));
        await writer.close();
        const store = reopen();
        const before = heldBytes();
        let most = 0;
        let next = 0;
        for await (const record of store.read(id)) {
          if (record.position !== next) throw new Error(`position ${record.position} where ${next} is due`);
          if (next % Math.floor(LONG / 4) === 1) most = Math.max(most, heldBytes() - before);
          next += 1;
        }
        expect(next).toBe(LONG + 1);
        expect(most).toBeLessThan(12 * MEGABYTE);
        expect(await texts(store, id, LONG - 1, LONG + 1)).toEqual([`${LONG - 2}`, `${LONG - 1}`]);
        const again = await store.open(id);
        expect(again.length).toBe(LONG + 1);
        await again.close();
      },
    );

    claim(factory, 'stores records of several megabytes', async ({ log, reopen }) => {
      const id = session('large');
      const writer = await sessionWith(log, id, 0);
      const large = 'ä'.repeat(2 * MEGABYTE);
      const event = prompts(1)[0];
      if (event?.kind !== 'prompt.given') throw new Error('unreachable');
      await appended(writer, [
        { ...event, data: { parts: [{ type: 'text', text: large }], presenter: 'test' } },
        ...prompts(1, 5),
      ]);
      await writer.close();
      const records = await gather(reopen().read(id, 1));
      expect(records.map((record) => textOrKind(record).length)).toEqual([large.length, 1]);
      await (await reopen().open(id)).close();
    });
  });
}

/**
 * Returns the bytes of objects and buffers that are in use. `external` is not used for the buffers: after a collection
 * it still counts buffers that were freed in the background (18 MB, when 0.5 MB were in use).
 */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  // Buffers are freed in the background. The second collection waits until those of the first are free.
  for (let times = 0; times < 2; times += 1) if (typeof collect === 'function') collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
