import { createMemoryStore, createMemoryBackend } from '@tidemark/store-memory';
import { describe, expect, it } from 'vitest';
import type { Live } from '../../tests/small-live.ts';
import { answering, goLive, heldBy, says } from '../../tests/small-live.ts';
import { ID } from '../../tests/small-session.ts';
import type { SessionEvent } from '../ports/session-event.ts';
import { FOLD_REVISION } from './session.ts';

/** Number of records that a turn with one answer adds. */
const TURN = 5;

async function talk({ live }: Live, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await live.prompt(`prompt ${turn}`);
}

function talkative(): ReturnType<typeof answering> {
  return answering(...Array.from({ length: 1_000 }, (_, index) => says(`answer ${index}`)));
}

describe('a snapshot', () => {
  it('is written at the end of a turn after 1,000 records, and again only when enough new records have come', async () => {
    const small = await goLive({ provider: talkative() });
    await talk(small, 190);
    expect((await small.log.getSnapshot(ID))?.length).toBeUndefined();
    await talk(small, 20);
    const first = await small.log.getSnapshot(ID, FOLD_REVISION);
    expect(first?.length).toBeGreaterThanOrEqual(1_000);
    expect(first?.length).toBeLessThan(1_000 + 2 * TURN);
    await talk(small, 150);
    expect((await small.log.getSnapshot(ID))?.length).toBe(first?.length);
    await talk(small, 60);
    expect((await small.log.getSnapshot(ID))?.length).toBeGreaterThan(2_000);
    await small.live.close();
  });

  it('is used at the next opening, which reads only the later records and sends the same bytes', async () => {
    const small = await goLive({ provider: talkative() });
    await talk(small, 210);
    await small.live.close();
    const bodies: Uint8Array[] = [];
    const onRequest = (body: Uint8Array): void => void bodies.push(body);
    for (const snapshot of [small.shelf.sessions.get(ID)?.snapshot, undefined]) {
      const room = small.shelf.sessions.get(ID);
      if (room === undefined) throw new Error('no session');
      const bytes = room.bytes.slice(0, room.length);
      const shelf = createMemoryBackend();
      shelf.sessions.set(ID, { ...room, bytes, snapshot, listeners: new Set() });
      for (const [name, kept] of small.shelf.artifacts) shelf.artifacts.set(name, kept);
      const from: number[] = [];
      const store = createMemoryStore(shelf);
      const log = {
        ...store,
        read: (id: typeof ID, first = 0, to?: number) => (from.push(first), store.read(id, first, to)),
      };
      const again = await goLive({ provider: talkative(), shelf, runtime: { onRequest }, open: { log } });
      expect(from[0]).toBe(snapshot === undefined ? 0 : (await store.getSnapshot(ID))?.length);
      await again.live.prompt('and now');
      await again.live.close();
    }
    const [kept, whole] = bodies.map(heldBy);
    expect(kept).toContain('prompt 0');
    expect(kept).toEqual(whole);
    expect(bodies[0]).toEqual(bodies[1]);
  });

  it('that the store refuses causes a notice, and the session continues', async () => {
    const shelf = createMemoryBackend();
    const log = { ...createMemoryStore(shelf), putSnapshot: () => Promise.reject(new Error('the disk is full')) };
    const small = await goLive({ provider: talkative(), shelf, open: { log } });
    const said: string[] = [];
    const listening = (async () => {
      for await (const event of small.live.events()) said.push(...noticesOf(event));
    })();
    await talk(small, 210);
    await small.live.close();
    await listening;
    expect(said).toEqual(['session/snapshot-failed']);
  });
});

function noticesOf(event: SessionEvent): readonly string[] {
  return event.type === 'notice.raised' ? [event.notice.code] : [];
}
