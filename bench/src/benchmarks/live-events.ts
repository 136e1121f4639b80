// Server with one reader and with 200 readers on a busy session: the time from an append to the reader, the memory and
// the processor time of the server. Then 20 readers of a session of 100,000 events, and 1,000 connections that read
// nothing.

import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Benchmark, Measured } from '../benchmark.ts';
import { quantile } from '../figures.ts';
import type { BusyAnswer, BusyCommand, BusyPlace } from '../live-events/busy-server.ts';
import type { ReaderPace, StreamReader } from '../live-events/stream-readers.ts';
import { openReader } from '../live-events/stream-readers.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'live-events',
  against: 'the memory of the server with one reader; with 200 readers, 60 of them stalled, slow or returning',
  target: 1.5,
  run,
};

const STEPS = 100;
const LONG = 100_000;
const MIB = 1_024 * 1_024;
const SERVER = fileURLToPath(new URL('../live-events/busy-server.ts', import.meta.url));

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const child = fork(SERVER, [home], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    try {
      return await measureServer(child, await placeOf(child));
    } finally {
      child.disconnect();
      await once(child, 'exit');
    }
  });
}

async function measureServer(child: ChildProcess, place: BusyPlace): Promise<Measured> {
  await playTurn(child, place, ['fast']);
  const one = await playTurn(child, place, ['fast']);
  const many = await playTurn(child, place, [
    ...Array<ReaderPace>(140).fill('fast'),
    ...Array<ReaderPace>(20).fill('slow'),
    ...Array<ReaderPace>(20).fill('stalled'),
    ...Array<ReaderPace>(20).fill('returning'),
  ]);
  const after = await ask(child, { do: 'usage' });
  const long = await readLong(child, place);
  const flood = await floodServer(child, place);
  return {
    ratio: many.rss / one.rss,
    details: {
      oneP50Ms: one.p50,
      oneP99Ms: one.p99,
      manyP50Ms: many.p50,
      manyP99Ms: many.p99,
      oneMiB: one.rss / MIB,
      manyMiB: many.rss / MIB,
      afterMiB: after.usage.rss / MIB,
      perFrameUs: (1_000 * (many.processorMs - one.processorMs)) / (many.frames * 180),
      wrong: one.wrong + many.wrong + long.wrong,
      longMiB: long.rss / MIB,
      longSeconds: long.seconds,
      floodMiB: flood.rss / MIB,
      floodAnswerMs: flood.answerMs,
    },
  };
}

interface TurnFigures {
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
  readonly processorMs: number;
  readonly wrong: number;
  /** Records and joined pieces of text, about. */
  readonly frames: number;
}

/** Runs a turn with these readers. The times are those of the fast readers, for records after the first 100. */
async function playTurn(child: ChildProcess, place: BusyPlace, paces: readonly ReaderPace[]): Promise<TurnFigures> {
  const readers = await Promise.all(paces.map((pace) => openReader(place, place.session, pace)));
  const before = await ask(child, { do: 'usage' });
  const { usage, appended, deltas } = await ask(child, { do: 'turn', steps: STEPS });
  const last = appended.at(-1)?.[0] ?? 0;
  const following = readers.filter((_reader, index) => paces[index] === 'fast' || paces[index] === 'returning');
  await Promise.all(following.map((reader) => reader.until(last)));
  const fast = readers.filter((_reader, index) => paces[index] === 'fast');
  const times = fast.flatMap((reader) => timesOf(reader, appended.slice(100)));
  for (const reader of readers) reader.close();
  const peak = await ask(child, { do: 'usage' });
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    rss: Math.max(usage.rss, peak.usage.rss),
    processorMs: usage.processorMs - before.usage.processorMs,
    wrong: readers.reduce((sum, reader) => sum + reader.wrong(), 0),
    frames: appended.length + deltas / 7,
  };
}

function timesOf({ arrived }: StreamReader, appended: BusyAnswer['appended']): readonly number[] {
  return appended.map(([position, at]) => (arrived.get(position) ?? NaN) - at);
}

async function readLong(
  child: ChildProcess,
  place: BusyPlace,
): Promise<{ readonly rss: number; readonly seconds: number; readonly wrong: number }> {
  await ask(child, { do: 'grow', records: LONG });
  const began = performance.now();
  const readers = await Promise.all(Array.from({ length: 20 }, () => openReader(place, place.long, 'fast')));
  const done = Promise.all(readers.map((reader) => reader.until(LONG - 1))).then(() => true);
  let rss = 0;
  do ({ rss } = { rss: Math.max(rss, (await ask(child, { do: 'usage' })).usage.rss) });
  while (!(await Promise.race([done, pauseFalse(200)])));
  const seconds = (performance.now() - began) / 1_000;
  for (const reader of readers) reader.close();
  return { rss, seconds, wrong: readers.reduce((sum, reader) => sum + reader.wrong(), 0) };
}

/** Opens 1,000 streams that are not read, and measures a request of another client. */
async function floodServer(
  child: ChildProcess,
  place: BusyPlace,
): Promise<{ readonly rss: number; readonly answerMs: number }> {
  const readers = await Promise.all(Array.from({ length: 1_000 }, () => openReader(place, place.long, 'stalled')));
  await pauseFalse(2_000);
  const began = performance.now();
  const answer = await fetch(`${place.url}/sessions/${place.long}`, {
    headers: { authorization: `Bearer ${place.token}` },
  });
  await answer.text();
  const answerMs = performance.now() - began;
  const { usage } = await ask(child, { do: 'usage' });
  for (const reader of readers) reader.close();
  return { rss: usage.rss, answerMs };
}

function pauseFalse(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}

async function placeOf(child: ChildProcess): Promise<BusyPlace> {
  const [place] = await once(child, 'message');
  return place;
}

async function ask(child: ChildProcess, command: BusyCommand): Promise<BusyAnswer> {
  const answered = once(child, 'message');
  child.send(command);
  const [answer] = await answered;
  return answer;
}
