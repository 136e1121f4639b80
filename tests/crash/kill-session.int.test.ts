// L8: a session at work is killed at random instants, again and again, and resumed. No answered call is asked again, no
// finished tool runs again, nothing is lost or doubled, no request is refused, and it ends with the same result.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sessionId } from '@tidemark/log';
import type { Recorded } from '@tidemark/log';
import { verifySession } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';
import type { LedgerCall, SentRequest } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, it } from 'vitest';
import { randomFrom } from './random.ts';
import type { Random } from './random.ts';
import { PATIENCE, tally } from './tally.ts';
import { RESULT, STEPS, answerAt } from './working-script.ts';

/** How many processes are killed. */
const KILLS = Number(process.env['TIDEMARK_KILLS'] ?? 200);
const LANES = Math.max(2, availableParallelism());
const SEED = Number(process.env['TIDEMARK_SEED'] ?? Date.now() % 1_000_000);
const PROGRAM = fileURLToPath(new URL('session-process.ts', import.meta.url));

/** A place where sessions live and die, with a provider that outlives them. */
interface Lane {
  readonly home: string;
  readonly url: string;
  readonly calls: readonly LedgerCall[];
  /** Told of each request that arrives. */
  onRequest: () => void;
}

/** One life, which chance may end. Says whether it was killed, and what it said last. */
async function live(
  lane: Lane,
  name: string,
  random: Random | undefined,
): Promise<{ readonly killed: boolean; readonly said: string }> {
  const folder = join(lane.home, name);
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [PROGRAM, lane.home, folder, lane.url, name], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(lane.home, 'compiled') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const kill = (): boolean => child.kill('SIGKILL');
  const timers: NodeJS.Timeout[] = [];
  // Some die while they start, most somewhere in their first steps: before, in and behind a request or a tool.
  const fatal = random === undefined ? Infinity : Math.floor(random() * 4);
  let arrived = 0;
  if (random !== undefined && random() < 0.08) timers.push(setTimeout(kill, 50 + random() * 300));
  lane.onRequest = () => {
    if (random !== undefined && arrived++ === fatal) timers.push(setTimeout(kill, random() < 0.3 ? 0 : random() * 40));
  };
  const [, signal] = await gone;
  for (const timer of timers) clearTimeout(timer);
  return { killed: signal === 'SIGKILL', said };
}

/** Lives until the session has ended: it is killed so often at most, and then left alone. Tells how often it was killed. */
async function playSession(lane: Lane, name: string, most: number, random: Random): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const { killed, said } = await live(lane, name, kills < most ? random : undefined);
    if (killed) continue;
    expect(said === '' || said.startsWith(`completed ${RESULT}`)).toBe(true);
    return kills;
  }
}

async function checkSession(lane: Lane, name: string): Promise<void> {
  const store = openNdjsonStore({ home: lane.home });
  const records: Recorded[] = [];
  for await (const record of store.read(sessionId(name))) records.push(record);
  checkRequests(records, lane.calls);
  checkCalls(records, await ranIn(join(lane.home, name)));
  const answers = records.filter((record) => record.kind === 'answer.received');
  expect(answers.map(({ data }) => data.parts.find((part) => part.type === 'text')?.text)).toEqual(
    Array.from({ length: STEPS + 1 }, (_, step) => answerAt(step).text),
  );
  expect(records.filter(({ kind }) => kind === 'prompt.given')).toHaveLength(1);
  expect(records.at(-1)).toMatchObject({ kind: 'turn.ended', data: { outcome: 'completed' } });
  const verified = await verifySession(store, sessionId(name), { encoders: () => anthropicEncoder });
  expect(verified.differences).toEqual([]);
  expect(verified.breaks).toEqual([]);
}

/** No step is asked again once it was answered; what arrived stands in the log, at least as often. */
function checkRequests(records: readonly Recorded[], arrived: readonly LedgerCall[]): void {
  const answered = new Set<number>();
  const sent = new Map<string, number>();
  for (const record of records) {
    if (record.kind === 'answer.received') answered.add(record.data.step);
    if (record.kind !== 'request.prepared') continue;
    expect(answered.has(record.data.step)).toBe(false);
    sent.set(record.data.digest, (sent.get(record.data.digest) ?? 0) + 1);
  }
  for (const [digest, times] of Map.groupBy(arrived, (call) => call.digest))
    expect(times.length).toBeLessThanOrEqual(sent.get(digest) ?? 0);
  expect(arrived.filter(({ status }) => status !== 200)).toEqual([]);
}

/** Each call is closed at most once, began before it ran, ran no more often than it began, and never behind its result. */
function checkCalls(records: readonly Recorded[], ran: ReadonlyMap<string, number>): void {
  const began = new Map<string, number>();
  const closed = new Map<string, Recorded['kind']>();
  for (const record of records) {
    if (record.kind === 'tool.started') {
      const times = (began.get(record.data.call) ?? 0) + 1;
      expect(closed.has(record.data.call)).toBe(false);
      if (record.data.effect !== 'read') expect(times).toBe(1);
      began.set(record.data.call, times);
    }
    if (record.kind === 'tool.returned' || record.kind === 'tool.failed' || record.kind === 'tool.abandoned') {
      expect(closed.has(record.data.call)).toBe(false);
      closed.set(record.data.call, record.kind);
    }
  }
  for (const [call, times] of ran) expect(times).toBeLessThanOrEqual(began.get(call) ?? 0);
  for (const [call, kind] of closed) if (kind === 'tool.returned') expect(ran.get(call) ?? 0).toBeGreaterThan(0);
}

async function ranIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const lines = await readFile(join(folder, 'ran.txt'), 'utf8').catch(() => '');
  const counts = new Map<string, number>();
  for (const call of lines.split('\n').filter((line) => line !== '')) counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}

/** How much was said so far is the step: a model that is asked the same answers the same. */
function stepOf({ body }: SentRequest): number {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter((message: { readonly role?: unknown }) => message.role === 'assistant').length;
}

/** One session from its beginning to its end, and what must hold of it then. Tells how often it was killed. */
async function driveSession(home: string, name: string, most: number, random: Random): Promise<number> {
  const lane: { -readonly [Key in keyof Lane]: Lane[Key] } = { home, url: '', calls: [], onRequest: () => undefined };
  const simulator = createSimulator({
    onRequest: (sent) => {
      lane.onRequest();
      return { answer: answerAt(stepOf(sent)) };
    },
    deltaCharacters: 12,
  });
  const listening = await simulator.listen();
  lane.url = listening.url;
  lane.calls = simulator.calls;
  try {
    const kills = await playSession(lane, name, most, random);
    await checkSession(lane, name);
    return kills;
  } finally {
    await listening.close();
  }
}

async function runLane(number: number, most: number): Promise<{ readonly kills: number; readonly sessions: number }> {
  const random = randomFrom(SEED + number);
  const home = await mkdtemp(join(tmpdir(), 'tidemark-session-crash-'));
  let kills = 0;
  let sessions = 0;
  try {
    for (; kills < most; sessions += 1) kills += await driveSession(home, `s${sessions}`, most - kills, random);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return { kills, sessions };
}

it(
  `a session that is killed ${KILLS} times and resumed asks nothing twice, runs nothing twice, and ends the same (L8)`,
  PATIENCE,
  async () => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, (_, index) => runLane(index, Math.floor((KILLS + index) / LANES))),
    );
    const kills = lanes.reduce((sum, lane) => sum + lane.kills, 0);
    const sessions = lanes.reduce((sum, lane) => sum + lane.sessions, 0);
    tally(`SIGKILL of sessions at work, seed ${SEED} (TIDEMARK_SEED)`, {
      kills,
      'sessions ended as they should': sessions,
      'acknowledged lost': 0,
      'calls run twice': 0,
      'invalid requests': 0,
    });
    expect(kills).toBe(KILLS);
  },
);
