// Tests the states that a crash or a fault leaves on a disk: a write torn at any byte, and a tail that was never
// flushed. Also tests a log that another program changed, and a disk that refuses writes.

import { appendFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { homePaths, roomPaths } from '../src/home.ts';
import { inspectSession } from '../src/inspect-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { faultyFiles } from './faulty-files.ts';
import { temporaryHome } from './temporary-home.ts';

const { appended, fails, gather, prompts, textOrKind, sessionWith, texts } = samples;
const id = sessionId('a');
const logOf = (home: string): string => roomPaths(homePaths(home), id).log;

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await temporaryHome();
  try {
    await test(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

describe('a torn write', () => {
  it('at any byte of an append of two records loses and doubles no earlier record, and the next append is sound', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, id, 1);
      const before = (await readFile(logOf(home))).length;
      await appended(writer, prompts(2, 1));
      await writer.close();
      const whole = await readFile(logOf(home));
      const middle = whole.indexOf(0x0a, before) + 1;
      for (let length = before; length <= whole.length; length += 1) {
        await writeFile(logOf(home), whole.subarray(0, length));
        const sound = length === whole.length ? 4 : length >= middle ? 3 : 2;
        const fresh = openNdjsonStore({ home });
        expect([length, (await gather(fresh.read(id))).length]).toEqual([length, sound]);
        const next = await fresh.open(id);
        await appended(next, prompts(1, 77));
        await next.close();
        expect(await inspectSession({ home }, id)).toEqual({ session: id, records: sound + 1, torn: 0, unknown: [] });
        expect((await gather(fresh.read(id))).map(textOrKind).at(-1)).toBe('77');
      }
    }));

  it('of the first record leaves a folder in which the session can be created again', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 0)).close();
      const { length } = await readFile(logOf(home));
      for (const cut of [0, 1, 40, length - 1]) {
        await truncate(logOf(home), cut);
        await fails(openNdjsonStore({ home }).open(id), 'log/missing');
        await (await sessionWith(openNdjsonStore({ home }), id, 1)).close();
        expect(await texts(openNdjsonStore({ home }), id)).toEqual(['session.created', '0']);
      }
    }));
});

describe('a power loss', () => {
  it('loses at most the records that no completed `sync` covered (L8)', async () => {
    const step = fc.oneof(fc.record({ append: fc.integer({ min: 1, max: 4 }) }), fc.constant('sync' as const));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.double({ min: 0, max: 1, noNaN: true }), (steps, cut) =>
        inHome(async (home) => {
          const files = faultyFiles();
          const writer = await openNdjsonStore({ home, files: files.port }).create(id);
          await appended(writer, [samples.created(id)]);
          await writer.sync();
          let acknowledged = writer.length;
          for (const one of steps) {
            if (one === 'sync') {
              await writer.sync();
              acknowledged = writer.length;
            } else await appended(writer, prompts(one.append, writer.length));
          }
          const written = await readFile(logOf(home));
          const flushed = files.flushed.get(logOf(home)) ?? 0;
          await writer.close();
          await truncate(logOf(home), flushed + Math.floor((written.length - flushed) * cut));
          const store = openNdjsonStore({ home });
          const survivors = await gather(store.read(id));
          expect(survivors.length).toBeGreaterThanOrEqual(acknowledged);
          const numbers = survivors.slice(1).map(textOrKind);
          expect(numbers).toEqual(numbers.map((_, index) => `${index + 1}`));
          await (await store.open(id)).close();
        }),
      ),
      { numRuns: 60 },
    );
  });
});

describe('the writer', () => {
  it('stops if another program wrote to its log, and does not change the log', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, id, 1);
      await appendFile(logOf(home), 'a stranger');
      const before = await readFile(logOf(home));
      await fails(writer.append(prompts(1), 2), 'log/moved');
      await fails(writer.append(prompts(1), 2), 'log/latched');
      expect((await readFile(logOf(home))).equals(before)).toBe(true);
      await writer.close();
    }));

  it('stops if its log was removed, and never continues in memory only', () =>
    inHome(async (home) => {
      const writer = await sessionWith(openNdjsonStore({ home }), id, 1);
      await rm(logOf(home));
      const error = await fails(writer.append(prompts(1), 2), 'log/moved');
      expect(error.message).toContain('was removed');
      await writer.close();
    }));

  it('reports a failed write whose bytes cannot be removed, and the next writer cuts them', () =>
    inHome(async (home) => {
      const files = faultyFiles();
      const writer = await sessionWith(openNdjsonStore({ home, files: files.port }), id, 1);
      files.failWrites();
      files.failTruncates();
      const error = await fails(writer.append(prompts(1, 1), 2), 'log/write-failed');
      expect(error.message).toContain('could not be removed');
      expect(error.cause).toMatchObject({ code: 'ENOSPC' });
      files.heal();
      await writer.close();
      expect((await inspectSession({ home }, id)).torn).toBeGreaterThan(0);
      const next = await openNdjsonStore({ home }).open(id);
      await appended(next, prompts(1, 1));
      await next.close();
      expect(await texts(openNdjsonStore({ home }), id)).toEqual(['session.created', '0', '1']);
    }));

  it('flushes once for any number of appends, and not again without a new append', () =>
    inHome(async (home) => {
      const files = faultyFiles();
      const writer = await sessionWith(openNdjsonStore({ home, files: files.port }), id, 3);
      await appended(writer, prompts(2));
      await writer.sync();
      await writer.sync();
      await writer.close();
      expect(files.flushes).toBe(1);
    }));

  it('flushes once after opening, because a killed writer may have left unflushed records', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 1)).close();
      const files = faultyFiles();
      const writer = await openNdjsonStore({ home, files: files.port }).open(id);
      await writer.sync();
      expect(files.flushes).toBe(1);
      await writer.close();
    }));

  it('changes no byte of the log if it is only opened and closed', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), id, 2)).close();
      const before = await readFile(logOf(home));
      await (await openNdjsonStore({ home }).open(id)).close();
      expect((await readFile(logOf(home))).equals(before)).toBe(true);
    }));
});

describe('a reader that follows a log', () => {
  it('continues after a torn tail that the next writer cuts', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, id, 1)).close();
      await appendFile(logOf(home), '{"v":1,"position":2,"at":"torn');
      const stop = new AbortController();
      const seen: string[] = [];
      for await (const record of openNdjsonStore({ home }).tail(id, 0, stop.signal)) {
        seen.push(textOrKind(record));
        if (seen.length === 2) {
          const writer = await store.open(id);
          await appended(writer, prompts(1, 1));
          await writer.close();
        }
        if (seen.length === 3) stop.abort();
      }
      expect(seen).toEqual(['session.created', '0', '1']);
    }));

  it('throws `log/moved` if records that it has already returned were removed', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      const writer = await sessionWith(store, id, 0);
      const { length } = await readFile(logOf(home));
      await appended(writer, prompts(1));
      await writer.close();
      const tail = openNdjsonStore({ home }).tail(id, 0, new AbortController().signal)[Symbol.asyncIterator]();
      await tail.next();
      expect((await tail.next()).value?.position).toBe(1);
      await truncate(logOf(home), length);
      await fails(Promise.resolve(tail.next()), 'log/moved');
    }));
});
