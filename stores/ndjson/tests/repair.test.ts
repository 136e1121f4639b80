// Tests the inspection and the repair of sessions.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { nodeBytes } from '@tidemark/files';
import type { SessionId } from '@tidemark/log';
import { chain, seal, sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { describe, expect, it } from 'vitest';
import { homePaths, roomPaths } from '../src/home.ts';
import { inspectSession } from '../src/inspect-session.ts';

import { repairSession } from '../src/repair-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const { appended, created, fails, flipped, gather, parentAt, prompts, sessionWith, texts } = samples;
const [a, b, c] = [sessionId('a'), sessionId('b'), sessionId('c')];
const logOf = (home: string, id: SessionId): string => roomPaths(homePaths(home), id).log;

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await temporaryHome();
  try {
    await test(home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function damage(home: string, id: SessionId, line: number): Promise<number> {
  const bytes = await readFile(logOf(home, id));
  let start = 0;
  for (let count = 1; count < line; count += 1) start = bytes.indexOf(0x0a, start) + 1;
  await writeFile(logOf(home, id), flipped(bytes, start + 60));
  return start;
}

/**
 * Overwrites `count` lines with null bytes, beginning with line `line`. The newlines between these lines are
 * overwritten too, but not the last newline. Returns the byte offsets at which the lines begin and end.
 */
async function erase(
  home: string,
  id: SessionId,
  line: number,
  count: number,
): Promise<{ readonly start: number; readonly end: number }> {
  const bytes = await readFile(logOf(home, id));
  const ends = [0, ...[...bytes].flatMap((byte, at) => (byte === 0x0a ? [at + 1] : []))];
  const [start = 0, end = 0] = [ends[line - 1], ends[line - 1 + count]];
  await writeFile(logOf(home, id), bytes.fill(0, start, end - 1));
  return { start, end };
}

describe('inspection', () => {
  it('verifies all of a sound session, including its ancestors', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, a, 5)).close();
      const parent = await parentAt(store, a, 3);
      const fork = await store.create(b, parent);
      await appended(fork, [created(b, { parent }), ...prompts(2)]);
      await fork.close();
      expect(await inspectSession(store, a)).toEqual({ session: a, records: 6, torn: 0, unknown: [] });
      expect(await inspectSession(store, b)).toEqual({ session: b, records: 7, torn: 0, unknown: [] });
    }));

  it('reports the place of the damage and counts the sound records after it', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), a, 9)).close();
      const offset = await damage(home, a, 4);
      const before = await readFile(logOf(home, a));
      const found = await inspectSession({ home }, a);
      expect(found).toMatchObject({
        records: 3,
        damage: { path: logOf(home, a), line: 4, offset, phase: 'checksum', soundBehind: 6 },
      });
      expect((await readFile(logOf(home, a))).equals(before)).toBe(true);
    }));

  it('finds a changed record with a recomputed checksum, because its chain no longer matches', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), a, 3)).close();
      const lines = (await readFile(logOf(home, a), 'utf8')).split('\n');
      const [head = '', rest = ''] = (lines[2] ?? '').split(',"chain":"');
      const changed = Buffer.from(head.replace('"text":"1"', '"text":"2"'));
      lines[2] = nodeBytes.decode(seal(changed, chain(rest.slice(0, 16)), nodeBytes)).trimEnd();
      await writeFile(logOf(home, a), lines.join('\n'));
      expect((await gather(openNdjsonStore({ home }).read(a))).length).toBe(4);
      expect((await inspectSession({ home }, a)).damage).toMatchObject({ line: 3, phase: 'chain' });
    }));

  it('finds that a parent no longer has the record from which the session was forked', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, a, 3)).close();
      const parent = await parentAt(store, a, 2);
      const fork = await store.create(b, parent);
      await appended(fork, [created(b, { parent })]);
      await fork.close();
      await rm(roomPaths(homePaths(home), a).folder, { recursive: true });
      const other = await sessionWith(openNdjsonStore({ home }), a, 0);
      await appended(other, prompts(3, 50));
      await other.close();
      expect((await inspectSession({ home }, b)).damage).toMatchObject({ phase: 'parent', path: logOf(home, a) });
    }));
});

describe('repair', () => {
  it('corrects a changed byte in a new session and does not change the old one', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), a, 9)).close();
      const texted = await texts(openNdjsonStore({ home }), a);
      await damage(home, a, 5);
      const before = await readFile(logOf(home, a));
      const repair = await repairSession({ home }, a, b);
      expect(repair).toMatchObject({ from: a, to: b, records: 10, mended: 1, lost: [] });
      expect(repair.damage).toMatchObject({ line: 5, soundBehind: 5 });
      expect((await readFile(logOf(home, a))).equals(before)).toBe(true);
      const store = openNdjsonStore({ home });
      expect(await texts(store, b)).toEqual(texted);
      expect(await inspectSession(store, b)).toEqual({ session: b, records: 10, torn: 0, unknown: [] });
      const [first] = await gather(store.read(b, 0, 1));
      expect(first?.data).toMatchObject({ id: b, root: b, imported: { format: 'tidemark-repair', source: a } });
      const writer = await store.open(b);
      await appended(writer, prompts(1, 3));
      await writer.close();
    }));

  it('loses only the records that are gone, and records their place in the new log', () =>
    inHome(async (home) => {
      await (await sessionWith(openNdjsonStore({ home }), a, 9)).close();
      const { start, end } = await erase(home, a, 5, 2);
      const repair = await repairSession({ home }, a, b);
      expect(repair).toMatchObject({ records: 10, mended: 0, lost: [{ from: 4, count: 2, line: 5, offset: start }] });
      const store = openNdjsonStore({ home });
      const kept = ['session.created', '0', '1', '2', 'foreign.recorded', 'foreign.recorded', '5', '6', '7', '8'];
      expect(await texts(store, b)).toEqual(kept);
      const [mark] = await gather(store.read(b, 5, 6));
      expect(mark?.data).toMatchObject({
        format: 'tidemark-repair',
        line: 5,
        record: { session: a, position: 5, offset: start, bytes: end - start },
      });
      expect(await inspectSession(store, b)).toEqual({ session: b, records: 10, torn: 0, unknown: [] });
    }));

  it('keeps a record that was moved within the file, and does not use a record of another session in its place', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, a, 9)).close();
      await (await sessionWith(store, c, 9)).close();
      const texted = await texts(store, a);
      const lines = (await readFile(logOf(home, a), 'utf8')).trimEnd().split('\n');
      const others = (await readFile(logOf(home, c), 'utf8')).trimEnd().split('\n');
      const [three = '', four = ''] = lines.slice(3);
      const orders = {
        swapped: lines.toSpliced(3, 2, four, three),
        moved: [...lines.toSpliced(3, 4), ...others, ...lines.slice(3, 7)],
        reversed: lines.toReversed(),
      };
      for (const [name, order] of Object.entries(orders)) {
        await writeFile(logOf(home, a), `${order.join('\n')}\n`);
        const repaired = sessionId(name);
        expect([name, await repairSession({ home }, a, repaired)]).toEqual([
          name,
          expect.objectContaining({ records: 10, lost: [] }),
        ]);
        expect(await texts(store, repaired)).toEqual(texted);
      }
      await writeFile(logOf(home, a), `${[...lines.toSpliced(3, 1), ...others].join('\n')}\n`);
      expect(await repairSession({ home }, a, sessionId('foreign'))).toMatchObject({ lost: [{ from: 3, count: 1 }] });
    }));

  it('finds a damaged newline after the last record and loses no record', () =>
    inHome(async (home) => {
      for (const count of [0, 3]) {
        const [damaged, mended] = [sessionId(`n${count}`), sessionId(`m${count}`)];
        await (await sessionWith(openNdjsonStore({ home }), damaged, count)).close();
        const texted = await texts(openNdjsonStore({ home }), damaged);
        const bytes = await readFile(logOf(home, damaged));
        await writeFile(logOf(home, damaged), flipped(bytes, bytes.length - 1));
        const store = openNdjsonStore({ home });
        await fails(store.open(damaged), 'log/damaged');
        await fails(store.create(damaged), 'log/exists');
        expect((await inspectSession(store, damaged)).damage).toMatchObject({ line: count + 1, phase: 'frame' });
        expect((await store.sessions()).unreadable.map(({ session }) => session)).toEqual(count === 0 ? [damaged] : []);
        await repairSession(store, damaged, mended);
        expect(await texts(openNdjsonStore({ home }), mended)).toEqual(texted);
        await rm(roomPaths(homePaths(home), damaged).folder, { recursive: true });
      }
    }));

  it('keeps the parent of a fork', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, a, 3)).close();
      const parent = await parentAt(store, a, 2);
      const fork = await store.create(b, parent);
      await appended(fork, [created(b, { parent }), ...prompts(4, 10)]);
      await fork.close();
      await damage(home, b, 4);
      expect(await repairSession(store, b, c)).toMatchObject({ records: 8, mended: 1 });
      expect(await texts(openNdjsonStore({ home }), c)).toEqual([
        'session.created',
        '0',
        '1',
        'session.created',
        '10',
        '11',
        '12',
        '13',
      ]);
      expect((await inspectSession(store, c)).damage).toBeUndefined();
    }));

  it('refuses an existing id, a session whose beginning is lost, and a session with a damaged ancestor', () =>
    inHome(async (home) => {
      const store = openNdjsonStore({ home });
      await (await sessionWith(store, a, 3)).close();
      await (await sessionWith(store, b, 3)).close();
      await fails(repairSession(store, a, b), 'log/exists');
      const parent = await parentAt(store, a, 2);
      const fork = await store.create(sessionId('fork'), parent);
      await appended(fork, [created(fork.session, { parent })]);
      await fork.close();
      await erase(home, a, 1, 1);
      await fails(repairSession(store, a, c), 'log/damaged');
      const error = await fails(repairSession(store, fork.session, c), 'log/damaged');
      expect(error.message).toContain(logOf(home, a));
      await fails(repairSession(store, sessionId('nobody'), c), 'log/missing');
    }));
});
