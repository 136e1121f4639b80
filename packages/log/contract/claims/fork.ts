// Contract of forks: a forked log shares the first records of its parent, up to one record. It refers to these records,
// does not copy them, and continues after them (L5).

import { describe, expect } from 'vitest';
import type { Parent } from '../../src/events/session.ts';
import type { SessionId } from '../../src/ids.ts';
import { chain } from '../../src/ids.ts';
import type { Log, LogWriter } from '../../src/port.ts';
import type { LogFactory } from '../log-under-test.ts';
import { soundLine, splitLines } from '../raw-lines.ts';
import {
  appended,
  created,
  fails,
  gather,
  parentAt,
  prompt,
  prompts,
  textOrKind,
  session,
  sessionWith,
  texts,
} from '../samples.ts';
import { claim, claimWhere } from '../with-store.ts';

async function forkAt(log: Log, from: SessionId, position: number, id: SessionId): Promise<LogWriter> {
  const parent = await parentAt(log, from, position);
  const writer = await log.create(id, parent);
  await appended(writer, [created(id, { parent })]);
  return writer;
}

export function claimForks(factory: LogFactory): void {
  describe('a fork', () => {
    claim(factory, 'continues the positions and the chain of its parent, and has a fence', async ({ log, reopen }) => {
      const [a, b] = [session('a'), session('b')];
      const parent = await sessionWith(log, a, 5);
      const at = await parentAt(log, a, 3);
      const writer = await log.create(b, at);
      expect([writer.length, writer.chain]).toEqual([4, at.chain]);
      expect(writer.fence).toBeGreaterThan(0);
      await appended(writer, [created(b, { parent: at }), prompt('own')]);
      await appended(parent, [prompt('the parent goes on')]);
      for (const store of [log, reopen()]) {
        const records = await gather(store.read(b));
        expect(records.map(textOrKind)).toEqual(['session.created', '0', '1', '2', 'session.created', 'own']);
        expect(records.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
        expect(records[5]?.chain).toBe(writer.chain);
        expect(await texts(store, b, 2, 5)).toEqual(['1', '2', 'session.created']);
        expect(await texts(store, b, 5)).toEqual(['own']);
        expect(await texts(store, b, 0, 2)).toEqual(['session.created', '0']);
      }
      await writer.close();
      const again = await reopen().open(b);
      expect([again.length, again.chain]).toEqual([6, writer.chain]);
      await again.close();
      await parent.close();
    });

    claim(factory, 'contains the records of its parent only up to the record where it was forked', async ({ log }) => {
      const [a, b, c, d] = [session('a'), session('b'), session('c'), session('d')];
      const writers = [await sessionWith(log, a, 4), await forkAt(log, a, 2, b)];
      await appended(writers[1] ?? fail(), prompts(3, 10));
      writers.push(await forkAt(log, b, 5, c), await forkAt(log, b, 1, d));
      expect(await texts(log, c)).toEqual([
        'session.created',
        '0',
        '1',
        'session.created',
        '10',
        '11',
        'session.created',
      ]);
      expect(await texts(log, d)).toEqual(['session.created', '0', 'session.created']);
      for (const writer of writers) await writer.close();
    });

    claim(factory, 'is followed by `tail` from the records of its parent on', async ({ log }) => {
      const [a, b] = [session('a'), session('b')];
      const parent = await sessionWith(log, a, 2);
      const writer = await forkAt(log, a, 1, b);
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const record of log.tail(b, 0, stop.signal)) {
        seen.push(textOrKind(record));
        if (seen.length === 3) await appended(writer, [prompt('live')]);
        if (seen.length === 4) stop.abort();
      }
      expect(seen).toEqual(['session.created', '0', 'session.created', 'live']);
      await writer.close();
      await parent.close();
    });

    claim(factory, 'is refused if its parent is missing, too short or another log', async ({ log }) => {
      const [a, b] = [session('a'), session('b')];
      const writer = await sessionWith(log, a, 2);
      const at = await parentAt(log, a, 1);
      const beyond: Parent = { ...at, position: (await parentAt(log, a, 2)).position, chain: at.chain };
      await fails(log.create(b, { ...at, session: session('nobody') }), 'log/parent-missing');
      await fails(log.create(b, { ...at, chain: chain('feedfeedfeedfeed') }), 'log/parent-diverged');
      await fails(log.create(b, beyond), 'log/parent-diverged');
      await fails(gather(log.read(b)), 'log/missing');
      await writer.close();
    });

    claim(factory, 'is refused if its first record names another parent', async ({ log }) => {
      const [a, b] = [session('a'), session('b')];
      const writer = await sessionWith(log, a, 2);
      const parent = await parentAt(log, a, 1);
      const fork = await log.create(b, parent);
      await fails(fork.append([created(b)], 2), 'log/first-record');
      await fails(fork.append([created(b, { parent: await parentAt(log, a, 0) })], 2), 'log/first-record');
      await fork.close();
      await writer.close();
    });

    claim(
      factory,
      'throws `log/parent-missing` after its parent was removed',
      async ({ log, reopen, removeSession }) => {
        const [a, b] = [session('a'), session('b')];
        await (await sessionWith(log, a, 2)).close();
        await (await forkAt(log, a, 1, b)).close();
        await removeSession(a);
        await fails(gather(reopen().read(b)), 'log/parent-missing');
        await fails(reopen().open(b), 'log/parent-missing');
      },
    );

    claimWhere(
      factory,
      'throws `log/parent-diverged` if its parent now has another history or is too short',
      ({ lines }) => lines,
      'this store does not keep its log as lines',
      async ({ log, reopen, removeSession }, lines) => {
        const [a, b] = [session('a'), session('b')];
        await (await sessionWith(log, a, 3)).close();
        await (await forkAt(log, a, 2, b)).close();
        await removeSession(a);
        const other = await sessionWith(reopen(), a, 0);
        await appended(other, prompts(3, 70));
        await other.close();
        await fails(gather(reopen().read(b)), 'log/parent-diverged');
        await fails(reopen().open(b), 'log/parent-diverged');
        const short = splitLines(await lines.read(a)).slice(0, 2);
        expect(short.map((line) => soundLine(line).position)).toEqual([0, 1]);
        await lines.write(a, Buffer.concat(short.flatMap((line) => [line, Buffer.from('\n')])));
        await fails(gather(reopen().read(b)), 'log/parent-diverged');
      },
    );
  });
}

function fail(): never {
  throw new Error('unreachable');
}
