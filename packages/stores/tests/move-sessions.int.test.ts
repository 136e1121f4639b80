// Tests the move of a family of sessions between a home and PostgreSQL, in both directions. The process that moves is
// killed at each phase.

import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Digest, LockedSession, Log, LogWriter, SessionId } from '@tidemark/log';
import { LogError, callId, sessionId } from '@tidemark/log';
import { appended, created, fails, gather, parentAt, prompt, prompts, texts } from '@tidemark/log/contract';
import { migrate } from '@tidemark/store-postgres';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';

import type { MoveResult } from '../src/index.ts';
import { moveSessions, planMove } from '../src/index.ts';
import type { TwoPlaces } from './two-stores.ts';
import { openBoth } from './two-stores.ts';

const CHILD = fileURLToPath(new URL('move-and-die.ts', import.meta.url));
const ROOT = sessionId('root');
const FORK = sessionId('fork');
const SUBAGENT = sessionId('subagent');
const STRANGER = sessionId('stranger');
const FAMILY = [ROOT, FORK, SUBAGENT];

const url = `${inject('postgres')}/postgres`;
beforeAll(() => migrate(url));

describe.each([
  ['from a home to a database', false],
  ['from a database to a home', true],
] as const)('a move %s', (_, toHome) => {
  let places: TwoPlaces;
  let from: Log;
  let to: Log;
  let close: () => Promise<void>;
  let before: readonly string[];
  let image: Digest;
  let old: Digest | undefined;

  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), 'tidemark-move-'));
    places = { home, url, tenant: `move-${randomUUID()}`, toHome };
    ({ from, to, close } = openBoth(places));
    ({ image, old } = await writeFamily(from));
    before = await sumsIn(from, FAMILY);
  });
  afterEach(async () => {
    await close();
    await rm(places.home, { recursive: true, force: true });
  });

  /** Moves, and waits while the lease of a killed process ends. */
  const moveNow = (): Promise<MoveResult> =>
    vi.waitFor(async () => moveSessions({ from, to, plan: await planMove(from, to, FORK) }), {
      timeout: 30_000,
      interval: 50,
    });

  const expectMoved = async (): Promise<void> => {
    expect(await sumsIn(to, FAMILY)).toEqual(before);
    for (const session of FAMILY) await fails(gather(from.read(session)), 'log/missing');
    expect((await from.sessions()).sessions.map(({ session }) => session)).toEqual([STRANGER]);
    expect(Buffer.concat(await gather(to.artifacts.get(image))).toString()).toBe('image');
    expect(Buffer.from((old && (await to.undo?.get(FORK, old))) ?? 'none').toString()).toBe('old');
    const writer = await to.open(FORK);
    await appended(writer, [prompt('there')]);
    await writer.close();
    expect((await texts(to, FORK)).at(-1)).toBe('there');
  };

  test('takes the whole family with its artifacts and undo bytes, and nothing else', async () => {
    const plan = await planMove(from, to, FORK);
    expect(plan.sessions.map(({ session }) => session).toSorted()).toEqual(FAMILY.toSorted());
    const result = await moveSessions({ from, to, plan });
    expect(result).toMatchObject({ artifacts: 1, missing: [], undo: 1, kept: [] });
    expect(result.sessions.map(({ sha256 }) => sha256).toSorted()).toEqual([...before].toSorted());
    await expectMoved();
    expect((await planMove(from, to, FORK)).sessions).toEqual([]);
  });

  test.each([
    ['hold', 1],
    ['artifacts', 2],
    ['records', 1],
    ['records', 3],
    ['check', 2],
    ['finish', 1],
    ['compare', 3],
    ['remove', 1],
    ['removed', 1],
    ['removed', 2],
    ['removed', 3],
  ] as const)('whose process is killed at `%s` %i loses nothing, and goes on', async (phase, count) => {
    const child = spawn(
      process.execPath,
      [CHILD, places.home, url, places.tenant, String(toHome), FORK, phase, String(count)],
      { stdio: 'inherit' },
    );
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    // Each session is whole in one of the stores.
    for (const [index, session] of FAMILY.entries()) {
      const isHere = await has(from, session);
      expect(isHere || phase === 'removed').toBe(true);
      expect(await sumOf(isHere ? from : to, session)).toBe(before[index]);
    }
    await moveNow();
    await expectMoved();
  });

  test('with `keep` copies only, and a later move adds what is new', async () => {
    const plan = await planMove(from, to, FORK);
    await moveSessions({ from, to, plan, keep: true });
    expect(await sumsIn(from, FAMILY)).toEqual(before);
    expect(await sumsIn(to, FAMILY)).toEqual(before);
    const writer = await from.open(FORK);
    await appended(writer, [prompt('new')]);
    await writer.close();
    before = await sumsIn(from, FAMILY);
    await moveNow();
    await expectMoved();
  });

  test('is refused if the session has other records there, and the source stays whole', async () => {
    await moveSessions({ from, to, plan: await planMove(from, to, FORK), keep: true });
    for (const [log, text] of [
      [from, 'here'],
      [to, 'there'],
    ] as const) {
      const writer = await log.open(FORK);
      await appended(writer, [prompt(text)]);
      await writer.close();
    }
    await fails(moveSessions({ from, to, plan: await planMove(from, to, FORK) }), 'log/exists');
    expect([(await texts(from, FORK)).at(-1), (await texts(to, FORK)).at(-1)]).toEqual(['here', 'there']);
    expect(await has(from, ROOT)).toBe(true);
  });

  test('removes the source if the session was continued in the other store', async () => {
    await moveSessions({ from, to, plan: await planMove(from, to, FORK), keep: true });
    const writer = await to.open(FORK);
    await appended(writer, [prompt('there')]);
    await writer.close();
    await moveNow();
    expect([await has(from, FORK), (await texts(to, FORK)).at(-1)]).toEqual([false, 'there']);
  });

  test('is refused while a session of the family is open', async () => {
    const writer = await from.open(SUBAGENT);
    await fails(moveSessions({ from, to, plan: await planMove(from, to, FORK) }), 'log/locked');
    await writer.close();
    expect([await sumsIn(from, FAMILY), (await to.sessions()).sessions]).toEqual([before, []]);
    await moveNow();
    await expectMoved();
  });

  test('keeps a session of the source if a fork of it was made after the plan', async () => {
    const plan = await planMove(from, to, FORK);
    const late = sessionId('late');
    await writeFork(from, late, await parentAt(from, FORK, 4));
    const { kept } = await moveSessions({ from, to, plan });
    expect([...kept].toSorted()).toEqual([FORK, ROOT].toSorted());
    expect((await texts(from, late)).length).toBe(6);
    expect(await has(from, SUBAGENT)).toBe(false);
  });

  test('copies nothing if the copy is described differently', async () => {
    const plan = await planMove(from, to, FORK);
    const describeOne = async (log: Log): Promise<string> => (log === from ? 'a' : 'b');
    await fails(moveSessions({ from, to, plan, describe: describeOne }), 'log/damaged');
    expect(await sumsIn(from, FAMILY)).toEqual(before);
  });
});

/** Writes a session with an artifact, a fork of it, a subagent of the fork, and a session that is not related. */
async function writeFamily(log: Log): Promise<{ readonly image: Digest; readonly old: Digest | undefined }> {
  const root = await log.create(ROOT);
  const { digest: image } = await log.artifacts.put(Buffer.from('image'));
  await appended(root, [created(ROOT), ...prompts(3)]);
  const part = { type: 'file', path: '/work/a.png', artifact: image } as const;
  await appended(root, [{ ...prompt('with an image'), data: { parts: [part], presenter: 'test' } }]);
  await root.close();
  await writeFork(log, FORK, await parentAt(log, ROOT, 2));
  const old = await log.undo?.keep(FORK, Buffer.from('old'));
  const fork = await log.open(FORK);
  await writeChange(fork, old);
  await fork.close();
  const call = callId('call-1');
  for (const [session, more] of [
    [SUBAGENT, { startedBy: { session: FORK, call, depth: 1 } }],
    [STRANGER, {}],
  ] as const) {
    const writer = await log.create(session);
    const beginning = created(session);
    await appended(writer, [{ ...beginning, data: { ...beginning.data, ...more } }, ...prompts(2)]);
    await writer.close();
  }
  return { image, old };
}

async function writeFork(log: Log, session: SessionId, parent: Awaited<ReturnType<typeof parentAt>>): Promise<void> {
  const writer = await log.create(session, parent);
  await appended(writer, [created(session, { parent }), ...prompts(2, 10)].slice(0, session === FORK ? 3 : 1));
  await writer.close();
}

async function writeChange(writer: LogWriter, before: Digest | undefined): Promise<void> {
  const { at } = prompt('');
  const call = callId('call-2');
  const files = [{ path: '/work/a', as: 'removed', ...(before !== undefined && { before }) } as const];
  await appended(writer, [{ kind: 'tool.returned', at, data: { call, parts: [], durationMs: 1, files } }]);
}

async function has(log: Log, session: SessionId): Promise<boolean> {
  try {
    for await (const _ of log.read(session, 0, 1)) return true;
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/missing') throw error;
  }
  return false;
}

function sumsIn(log: Log, sessions: readonly SessionId[]): Promise<readonly string[]> {
  return Promise.all(sessions.map((session) => sumOf(log, session)));
}

/** Returns the SHA-256 of the bytes of a session's own records. */
async function sumOf(log: Log, session: SessionId): Promise<string> {
  const hash = createHash('sha256');
  const held = await vi.waitFor(async () => hold(log, session), { timeout: 30_000, interval: 50 });
  for await (const { bytes } of held.lines()) hash.update(bytes);
  await held.close();
  return hash.digest('hex');
}

async function hold({ raw }: Log, session: SessionId): Promise<LockedSession> {
  if (raw === undefined) throw new Error('the store has no raw part');
  return raw.hold(session);
}
