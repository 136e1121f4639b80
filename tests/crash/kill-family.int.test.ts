// L8 for a family (a parent session and its subagents): its process is killed repeatedly at random instants while the
// subagents work, and the parent is then resumed. No subagent is orphaned or started twice, no request or tool run is
// repeated, and all sessions complete.

import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySession } from '@tidemark/agent';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, it } from 'vitest';
import { bundledProgram } from './bundle-program.ts';
import { answerTo, PARTS, RESULT } from './family-script.ts';
import { checkArrived, checkCalls, checkSteps, ranIn } from './once-only.ts';
import type { Lane } from './one-life.ts';
import { liveOnce } from './one-life.ts';
import type { Random } from './random.ts';
import { randomFrom } from './random.ts';
import { PATIENCE, tally } from './tally.ts';

/**
 * Number of processes to kill. It is a tenth of the number for single sessions, because each process here runs five
 * sessions.
 */
const KILLS = Math.ceil(Number(process.env['TIDEMARK_KILLS'] ?? 100) / 10);
const LANES = Math.max(2, availableParallelism());
const SEED = Number(process.env['TIDEMARK_SEED'] ?? Date.now() % 1_000_000);
const program = bundledProgram(new URL('family-process.ts', import.meta.url));

async function playFamily(lane: Lane, name: string, most: number, random: Random): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const { killed, said } = await liveOnce(program(), lane, name, kills < most ? random : undefined);
    if (killed) continue;
    expect(said === '' || said.startsWith(`completed ${RESULT}`)).toBe(true);
    return kills;
  }
}

async function checkFamily(lane: Lane, name: string): Promise<void> {
  const store = openNdjsonStore({ home: lane.home });
  const own = await Array.fromAsync(store.read(sessionId(name)));
  const children = startedBy(own);
  const ofFamily = [...own];
  const ran = await ranIn(join(lane.home, name));
  for (const child of children) {
    const records = await Array.fromAsync(store.read(child));
    expect(records.filter(({ kind }) => kind === 'prompt.given')).toHaveLength(1);
    ofFamily.push(...records);
  }
  checkArrived(ofFamily, lane.calls);
  // Calls of the tool `agent` are excluded because this tool writes no line to disk. `startedBy` checks them by the
  // sessions that they started.
  checkCalls(
    ofFamily.filter((record) => !isOfAgent(record)),
    ran,
  );
  for (const session of [sessionId(name), ...children]) await checkMember(store, session);
  await checkNobodyElse(store, [sessionId(name), ...children]);
}

function isOfAgent(record: Recorded): boolean {
  switch (record.kind) {
    case 'tool.started':
    case 'tool.returned':
    case 'tool.failed':
    case 'tool.abandoned':
      return record.data.call.startsWith('agent_');
    default:
      return false;
  }
}

/**
 * Returns the ids of the subagents' sessions in the order in which the parent's log records their start. Checks that
 * each `agent` call started one session, and that each session ended once.
 */
function startedBy(own: readonly Recorded[]): readonly SessionId[] {
  const started = own.flatMap((one) => (one.kind === 'subagent.started' ? [one.data] : []));
  const ended = own.flatMap((one) => (one.kind === 'subagent.ended' ? [one.data] : []));
  expect(started.map(({ call }) => String(call)).toSorted()).toEqual(PARTS.map((part) => `agent_${part}`));
  const children = started.map(({ child }) => child);
  expect(ended.map(({ child }) => child).toSorted()).toEqual(children.toSorted());
  expect(ended.map(({ status }) => status)).toEqual(PARTS.map(() => 'completed'));
  return children;
}

async function checkMember(store: Log, session: SessionId): Promise<void> {
  const records = await Array.fromAsync(store.read(session));
  checkSteps(records);
  expect(records.findLast(({ kind }) => kind === 'turn.ended')).toMatchObject({ data: { outcome: 'completed' } });
  const { differences, breaks } = await verifySession(store, session, { encoders: () => anthropicEncoder });
  expect([differences, breaks]).toEqual([[], []]);
}

async function checkNobodyElse(store: Log, family: readonly SessionId[]): Promise<void> {
  const { sessions, unreadable } = await store.sessions();
  const [root = expect.unreachable()] = family;
  const members = sessions.filter((one) => one.root === root).map(({ session }) => session);
  expect(members.toSorted()).toEqual(family.toSorted());
  expect(unreadable).toEqual([]);
}

async function driveFamily(home: string, name: string, most: number, random: Random): Promise<number> {
  const lane: { -readonly [Key in keyof Lane]: Lane[Key] } = { home, url: '', calls: [], onRequest: () => undefined };
  const simulator = createSimulator({
    onRequest: (sent) => {
      lane.onRequest();
      return { answer: answerTo(sent) };
    },
    deltaCharacters: 12,
  });
  const listening = await simulator.listen();
  lane.url = listening.url;
  lane.calls = simulator.calls;
  try {
    const kills = await playFamily(lane, name, most, random);
    await checkFamily(lane, name);
    return kills;
  } finally {
    await listening.close();
  }
}

async function runLane(number: number, most: number): Promise<{ readonly kills: number; readonly families: number }> {
  const random = randomFrom(SEED + number);
  const home = await mkdtemp(join(tmpdir(), 'tidemark-family-crash-'));
  let kills = 0;
  let families = 0;
  try {
    for (; kills < most; families += 1) kills += await driveFamily(home, `s${families}`, most - kills, random);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  return { kills, families };
}

it(
  `a family that is killed ${KILLS} times and resumed has no orphan, and no call in it runs twice (L8)`,
  PATIENCE,
  async () => {
    const lanes = await Promise.all(
      Array.from({ length: LANES }, (_, index) => runLane(index, Math.floor((KILLS + index) / LANES))),
    );
    const kills = lanes.reduce((sum, lane) => sum + lane.kills, 0);
    const families = lanes.reduce((sum, lane) => sum + lane.families, 0);
    tally(`SIGKILL of parents with subagents at work, seed ${SEED} (TIDEMARK_SEED)`, {
      kills,
      'families ended as they should': families,
      orphans: 0,
      'started twice': 0,
      'calls run twice': 0,
    });
    expect(kills).toBe(KILLS);
  },
);
