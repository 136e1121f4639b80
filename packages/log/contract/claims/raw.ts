// Contract of the raw part of a store: a session moves to another store and keeps every byte. A store may leave it out.

import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { SessionId } from '../../src/ids.ts';
import type { Parent } from '../../src/events/session.ts';
import type { LockedSession, Log, RawSessions, ReceivedSession } from '../../src/port.ts';
import type { LogFactory, LogUnderTest } from '../log-under-test.ts';
import { splitLines } from '../raw-lines.ts';
import {
  appended,
  created,
  fails,
  flipped,
  gather,
  parentAt,
  prompt,
  prompts,
  session,
  sessionWith,
  texts,
  untilFailure,
} from '../samples.ts';
import { claimWhere } from '../with-store.ts';

const ID = session('a');
const ABSENT = 'sessions cannot be moved from or to this store';

/** Two stores of one kind: a session moves from the first to the second. */
interface Pair {
  readonly from: LogUnderTest;
  readonly to: LogUnderTest;
}

export function claimRaw(factory: LogFactory): void {
  const claimPair = (title: string, test: (pair: Pair) => Promise<void>): void =>
    claimWhere(
      factory,
      title,
      ({ log, lines }) => log.raw && lines,
      ABSENT,
      async (from) => {
        const to = await factory();
        try {
          await test({ from, to });
        } finally {
          await to.dispose();
        }
      },
    );

  describe('the raw records of a session', () => {
    claimCopies(claimPair);
    claimForkCopies(claimPair);
    claimInterruptions(claimPair);
    claimRefusals(claimPair);
    claimLocks(claimPair);
    claimRemovals(claimPair);
  });
}

type ClaimPair = (title: string, test: (pair: Pair) => Promise<void>) => void;

function claimCopies(claimPair: ClaimPair): void {
  claimPair('are the same bytes in the other store, and a writer continues them there', async ({ from, to }) => {
    await writtenTwice(from.log);
    await copyAll(from.log, to.log, ID);
    expect(await digestIn(to, ID)).toBe(await digestIn(from, ID));
    expect(await gather(to.reopen().read(ID))).toEqual(await gather(from.log.read(ID)));
    const writer = await to.reopen().open(ID);
    expect(writer.fence).toBeGreaterThan(2);
    await appended(writer, [prompt('there')]);
    await writer.close();
    expect(await texts(to.reopen(), ID)).toEqual(['session.created', '0', '1', '2', '3', 'there']);
    expect((await to.log.sessions()).sessions.map((one) => one.session)).toEqual([ID]);
  });

  claimPair('are yielded from a position, with the chain after them', async ({ from }) => {
    await writtenTwice(from.log);
    const held = await rawOf(from.log).hold(ID);
    const all = linesOf(await bytesOf(held.lines()));
    expect(linesOf(await bytesOf(held.lines(3)))).toEqual(all.slice(3));
    const [last] = await gather(held.lines(4));
    const [record] = await gather(from.log.read(ID, 4, 5));
    expect(last).toMatchObject({ length: 5, chain: record?.chain });
    expect([held.start, await gather(held.lines(5))]).toEqual([0, []]);
    await held.close();
  });

  claimPair('can be copied again when more were written, and only the new ones are added', async ({ from, to }) => {
    await writtenTwice(from.log);
    await copyAll(from.log, to.log, ID);
    const writer = await from.log.open(ID);
    await appended(writer, prompts(2, 4));
    await writer.close();
    const received = await rawOf(to.reopen()).receive(ID);
    expect([received.isComplete, received.length]).toEqual([true, 5]);
    await received.close();
    await copyAll(from.log, to.reopen(), ID);
    expect(await digestIn(to, ID)).toBe(await digestIn(from, ID));
  });
}

function claimForkCopies(claimPair: ClaimPair): void {
  claimPair('of a fork need its ancestors, and are added after them', async ({ from, to }) => {
    await writtenTwice(from.log);
    const parent = await parentAt(from.log, ID, 2);
    const fork = await forkOf(from.log, parent);
    await fails(rawOf(to.log).receive(fork, parent), 'log/parent-missing');
    const another = await sessionWith(to.log, ID, 0);
    await appended(another, prompts(5, 50));
    await another.close();
    await fails(rawOf(to.log).receive(fork, parent), 'log/parent-diverged');
    await to.removeSession(ID);
    await copyAll(from.log, to.reopen(), ID);
    await copyAll(from.log, to.reopen(), fork);
    expect(await digestIn(to, fork)).toBe(await digestIn(from, fork));
    expect(await gather(to.reopen().read(fork))).toEqual(await gather(from.log.read(fork)));
    await fails(rawOf(to.log).receive(fork), 'log/exists');
  });
}

function claimInterruptions(claimPair: ClaimPair): void {
  claimPair('of an interrupted copy are in no list, and the next copy continues after them', async ({ from, to }) => {
    await writtenTwice(from.log);
    const lines = linesOf((await from.lines?.read(ID)) ?? Buffer.alloc(0));
    let received = await rawOf(to.log).receive(ID);
    for (const [index, line] of lines.entries()) {
      expect([received.length, received.isComplete]).toEqual([index, false]);
      await received.append(Buffer.concat([line, Buffer.from('\n')]));
      await received.close();
      await fails(gather(to.reopen().read(ID)), 'log/missing');
      await fails(to.reopen().open(ID), 'log/missing');
      expect(await to.reopen().sessions()).toEqual({ sessions: [], unreadable: [] });
      received = await rawOf(to.reopen()).receive(ID);
    }
    expect(await bytesOf(received.lines())).toEqual(Buffer.from((await from.lines?.read(ID)) ?? ''));
    await received.finish();
    expect(received.isComplete).toBe(true);
    await received.close();
    expect(await digestIn(to, ID)).toBe(await digestIn(from, ID));
  });

  claimPair('of an interrupted copy are discarded on demand, and by `create`', async ({ from, to }) => {
    await writtenTwice(from.log);
    const received = await rawOf(to.log).receive(ID);
    await copyLines(from.log, received);
    await received.discard();
    expect([received.length, await gather(received.lines())]).toEqual([0, []]);
    await copyLines(from.log, received);
    await received.close();
    const writer = await sessionWith(to.reopen(), ID, 1);
    await writer.close();
    expect(await texts(to.reopen(), ID)).toEqual(['session.created', '0']);
    const again = await rawOf(to.reopen()).receive(ID);
    expect([again.length, again.isComplete]).toEqual([2, true]);
    await fails(again.discard(), 'log/exists');
    await again.close();
  });
}

function claimRefusals(claimPair: ClaimPair): void {
  claimPair('that do not follow are refused, and nothing is written', async ({ from, to }) => {
    await writtenTwice(from.log);
    await (await sessionWith(to.log, session('b'), 1)).close();
    const bytes = Buffer.from((await from.lines?.read(ID)) ?? '');
    const [first, second, third] = linesOf(bytes).map((line) => Buffer.concat([line, Buffer.from('\n')]));
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few lines');
    const received = await rawOf(to.log).receive(ID);
    await fails(received.finish(), 'log/first-record');
    await fails(received.append(second), 'log/damaged');
    await received.append(first);
    for (const wrong of [third, flipped(second, 50), second.subarray(0, -1), Buffer.concat([second, second])]) {
      await fails(received.append(wrong), 'log/damaged');
      expect(received.length).toBe(1);
    }
    await received.append(Buffer.concat([second, third]));
    expect(Buffer.from(await bytesOf(received.lines()))).toEqual(Buffer.concat([first, second, third]));
    await received.close();
    const other = await rawOf(to.log).receive(session('b'));
    await fails(other.append(second), 'log/damaged');
    await other.close();
    const unrelated = await rawOf(to.log).receive(session('c'));
    await fails(unrelated.append(first), 'log/damaged');
    await unrelated.close();
  });

  claimPair('are yielded up to a damage, and the damage is reported with its place', async ({ from }) => {
    await writtenTwice(from.log);
    const whole = (await from.lines?.read(ID)) ?? Buffer.alloc(0);
    const lines = linesOf(whole);
    const start = lines.slice(0, 3).reduce((sum, line) => sum + line.length + 1, 0);
    await from.lines?.write(ID, flipped(whole, start + 60));
    const held = await rawOf(from.reopen()).hold(ID);
    const { values, error } = await untilFailure(copiesOf(held));
    expect([error.code, error.data['offset'], error.data['line']]).toEqual(['log/damaged', start, 4]);
    expect(linesOf(Buffer.concat(values))).toEqual(lines.slice(0, 3));
    await held.close();
  });

  claimPair('with a broken chain are yielded up to the break', async ({ from }) => {
    const other = session('other');
    await writtenTwice(from.log);
    await (await sessionWith(from.log, other, 5)).close();
    const [mine, foreign] = [await from.lines?.read(ID), await from.lines?.read(other)].map((bytes) =>
      linesOf(bytes ?? Buffer.alloc(0)),
    );
    if (mine === undefined || foreign === undefined) throw new Error('no lines');
    const mixed = [...mine.slice(0, 2), ...foreign.slice(2)].flatMap((line) => [line, Buffer.from('\n')]);
    await from.lines?.write(ID, Buffer.concat(mixed));
    const held = await rawOf(from.reopen()).hold(ID);
    const { values, error } = await untilFailure(copiesOf(held));
    expect([error.code, error.data['phase']]).toEqual(['log/damaged', 'chain']);
    expect(linesOf(Buffer.concat(values))).toEqual(mine.slice(0, 2));
    await held.close();
  });
}

function claimLocks(claimPair: ClaimPair): void {
  claimPair('are locked in both stores while they are copied', async ({ from, to }) => {
    await writtenTwice(from.log);
    const held = await rawOf(from.log).hold(ID);
    const received = await rawOf(to.log).receive(ID);
    await fails(from.reopen().open(ID), 'log/locked');
    await fails(rawOf(from.reopen()).hold(ID), 'log/locked');
    await fails(rawOf(to.reopen()).receive(ID), 'log/locked');
    await fails(to.reopen().create(ID), 'log/locked');
    expect(await texts(from.reopen(), ID)).toHaveLength(5);
    await copyLines(from.log, received, held);
    await received.finish();
    await fails(to.reopen().open(ID), 'log/locked');
    await Promise.all([held.close(), held.close(), received.close(), received.close()]);
    await fails(received.append(Buffer.alloc(0)), 'log/closed');
    await (await from.reopen().open(ID)).close();
    await (await to.reopen().open(ID)).close();
    await fails(rawOf(from.log).hold(session('none')), 'log/missing');
  });
}

function claimRemovals(claimPair: ClaimPair): void {
  claimPair('are removed with their session, which can then be received again', async ({ from, to }) => {
    await writtenTwice(from.log);
    const before = await digestIn(from, ID);
    await from.log.undo?.keep(ID, Buffer.from('old'));
    await copyAll(from.log, to.log, ID);
    const held = await rawOf(from.log).hold(ID);
    await held.remove();
    await held.remove();
    await held.close();
    for (const log of [from.log, from.reopen()]) {
      await fails(gather(log.read(ID)), 'log/missing');
      await fails(log.open(ID), 'log/missing');
      expect([await log.sessions(), await log.isOpen(ID)]).toEqual([{ sessions: [], unreadable: [] }, false]);
    }
    await copyAll(to.log, from.log, ID);
    expect(await digestIn(from, ID)).toBe(before);
    await (await from.reopen().open(ID)).close();
  });
}

function rawOf(log: Log): RawSessions {
  if (log.raw === undefined) throw new Error(ABSENT);
  return log.raw;
}

/** Creates a session of five records, from two writers. */
async function writtenTwice(log: Log): Promise<void> {
  await (await sessionWith(log, ID, 2)).close();
  const writer = await log.open(ID);
  await appended(writer, prompts(2, 2));
  await writer.close();
}

async function forkOf(log: Log, parent: Parent): Promise<SessionId> {
  const id = session('fork');
  const writer = await log.create(id, parent);
  await appended(writer, [created(id, { parent }), ...prompts(2, 10)]);
  await writer.close();
  return id;
}

/** Copies the records that the other store does not have, and makes the session exist there. */
async function copyAll(from: Log, to: Log, id: SessionId): Promise<void> {
  const held = await rawOf(from).hold(id);
  const received = await rawOf(to).receive(id, held.parent);
  await copyLines(from, received, held);
  await received.finish();
  await received.close();
  await held.close();
}

async function copyLines(from: Log, received: ReceivedSession, held?: LockedSession): Promise<void> {
  const source = held ?? (await rawOf(from).hold(received.session));
  for await (const { bytes, length, chain } of source.lines(received.length)) {
    await received.append(bytes);
    expect([received.length, received.chain]).toEqual([length, chain]);
  }
  if (held === undefined) await source.close();
}

/** Returns the lines without their newlines, all as the same class of bytes. */
function linesOf(bytes: Uint8Array): readonly Buffer[] {
  return splitLines(bytes).map((line) => Buffer.from(line));
}

async function* copiesOf(held: LockedSession): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of held.lines()) yield Buffer.from(bytes);
}

async function bytesOf(lines: ReturnType<LockedSession['lines']>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const { bytes } of lines) all.push(Buffer.from(bytes));
  return Buffer.concat(all);
}

async function digestIn({ lines }: LogUnderTest, id: SessionId): Promise<string> {
  return createHash('sha256')
    .update((await lines?.read(id)) ?? '')
    .digest('hex');
}
