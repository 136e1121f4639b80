// L3: inside an epoch each request extends the one before it on its stream; an epoch opens by a named event, with its price,
// and only with the first request that needs it.

import { describe, expect, it } from 'vitest';
import { verifySession } from '@tidemark/agent';
import { billedFor, extendsCall, paidAgain, someEntryLives } from './billed.ts';
import { readBook } from './book.ts';
import type { Driver } from './driver.ts';
import { mainOf } from './driver.ts';
import { perform } from './perform.ts';
import { encoders } from './server.ts';
import { BILLED, tryStories, WORLDS } from './try-stories.ts';

describe.each(WORLDS)('L3 on $store against $provider', (world) => {
  it('L3: each request extends the one before it, unless an epoch opened with it', async () => {
    await tryStories({ world, runs: 6 }, async ({ calls }) => {
      const broken = mainOf(calls).filter((call, index, main) => {
        const before = main[index - 1];
        return before !== undefined && call.prepared.opened === undefined && !extendsCall(call, before);
      });
      expect(broken.map(({ prepared }) => prepared.record.position)).toEqual([]);
    });
  });

  it('L3: verify finds no break that no epoch explains', async () => {
    await tryStories({ world, runs: 6 }, async ({ place, session }) => {
      const { breaks } = await verifySession(place.open(), session.writer.session, { encoders });
      expect(breaks.filter(({ cause }) => cause === undefined)).toEqual([]);
    });
  });

  it('L3: an epoch opens with the request that needs it, and nowhere else', async () => {
    await tryStories({ world, runs: 6 }, async ({ log, session, calls }) => {
      const book = await readBook(log, session.writer.session);
      const opened = book.filter(({ record }) => record.kind === 'epoch.opened').map(({ record }) => record.position);
      expect(opened).toEqual(calls.flatMap(({ prepared }) => prepared.opened?.position ?? []));
      for (const position of opened)
        expect(book[position + 1]?.record).toMatchObject({ kind: 'request.prepared', data: { relation: 'opens' } });
    });
  });

  it('L3: a setting changed and changed back before a request opens no epoch', async () => {
    await tryStories({ world, runs: 6 }, async (driver) => {
      await askShort(driver);
      const { model, reasoning, tools, role } = driver.settings;
      await perform(driver, { do: 'model', model: model + 1 });
      await perform(driver, { do: 'reasoning', level: (reasoning + 1) % 4 });
      await perform(driver, { do: 'tools', set: (tools + 1) % 4 });
      await perform(driver, { do: 'role', role: (role + 1) % 3 });
      await perform(driver, { do: 'restart' });
      driver.settings = { model, reasoning, tools, role };
      await askShort(driver);
      expect(driver.calls.at(-1)?.prepared.opened).toBeUndefined();
    });
  });
});

describe.each(BILLED)('L3 on $store, billed', (world) => {
  it('L3: what an epoch says it will rewrite is what the provider then bills again', async () => {
    await tryStories({ world, runs: 18, knowable: true }, async ({ calls }) => {
      for (const [index, call] of calls.entries()) {
        const { opened } = call.prepared;
        if (opened === undefined || billedFor(call) === undefined) continue;
        const earlier = calls.slice(0, index);
        const again = someEntryLives(call, earlier) ? paidAgain(call, earlier) : 0;
        expect({ position: opened.position, rewrite: opened.data.forecast.rewrite }).toEqual({
          position: opened.position,
          rewrite: again,
        });
      }
    });
  });
});

async function askShort(driver: Driver): Promise<void> {
  await perform(driver, { do: 'prompt', parts: [{ kind: 'words', size: 30 }] });
  await perform(driver, {
    do: 'ask',
    answer: { said: [{ kind: 'text', text: { kind: 'words', size: 30 } }], calls: [] },
    outcome: 'answered',
    during: [],
  });
}
