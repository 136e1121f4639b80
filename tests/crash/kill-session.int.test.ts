// L8: a working session is killed repeatedly at random instants and resumed. No answered request is sent again, and no
// finished tool runs again. Nothing is lost or doubled, and no request is refused. The session ends with the same
// result as without kills.

import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionId } from '@tidemark/log';
import type { Recorded } from '@tidemark/log';
import { verifySession } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';
import type { ReceivedRequest } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, it } from 'vitest';
import { bundledProgram } from './bundle-program.ts';
import type { Lane } from './one-life.ts';
import { liveOnce } from './one-life.ts';
import { randomFrom } from './random.ts';
import type { Random } from './random.ts';
import { checkArrived, checkCalls, checkSteps, ranIn } from './once-only.ts';
import { PATIENCE, tally } from './tally.ts';
import { RESULT, STEPS, answerAt } from './working-script.ts';

const KILLS = Number(process.env['TIDEMARK_KILLS'] ?? 100);
const LANES = Math.max(2, availableParallelism());
const SEED = Number(process.env['TIDEMARK_SEED'] ?? Date.now() % 1_000_000);
const program = bundledProgram(new URL('session-process.ts', import.meta.url));

async function playSession(lane: Lane, name: string, most: number, random: Random): Promise<number> {
  for (let kills = 0; ; kills += 1) {
    const { killed, said } = await liveOnce(program(), lane, name, kills < most ? random : undefined);
    if (killed) continue;
    expect(said === '' || said.startsWith(`completed ${RESULT}`)).toBe(true);
    return kills;
  }
}

async function checkSession(lane: Lane, name: string): Promise<void> {
  const store = openNdjsonStore({ home: lane.home });
  const records: Recorded[] = [];
  for await (const record of store.read(sessionId(name))) records.push(record);
  checkSteps(records);
  checkArrived(records, lane.calls);
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

/**
 * Returns the step, which is the number of answers in the request. The same request therefore always has the same step,
 * and gets the same answer.
 */
function stepOf({ body }: ReceivedRequest): number {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter((message: { readonly role?: unknown }) => message.role === 'assistant').length;
}

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
  `a session that is killed ${KILLS} times and resumed repeats no request and no tool run, and ends with the same result (L8)`,
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
