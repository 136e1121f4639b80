// Faults of a provider at each point of a turn, on each wire. The turn continues or ends with an error, every tool runs
// once, the log verifies, and the next prompt is answered. By default each fault is tried once at each named point of a
// stream, in one of the calls. `npm run torture` tries each fault at each event of each call.

import { createAgent, defineTool } from '@tidemark/kit';
import type { Agent, AgentSession } from '@tidemark/kit';
import type { Recorded, SessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import type { AnswerPlan, LedgerCall, PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Strike } from './every-fault.ts';
import { FAULT_KINDS, streamStrikes, strikesConnection, wholeStrikes } from './every-fault.ts';
import type { Wire } from './provider-wires.ts';
import { WIRES } from './provider-wires.ts';
import { pointsOf } from './stream-points.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';

const DELTAS = 16;
/**
 * Idle timeouts in milliseconds, and numbers of attempts. The timeout is short only if the fault is a silence. A busy
 * machine may then look silent several times, so many attempts are allowed.
 */
const WAITS = { silence: { idleMs: 250, attempts: 40 }, other: { idleMs: 20_000, attempts: 4 } } as const;

/** Names of the calls in which a fault occurs. The index of a call is also the index of its answer in `ANSWERS`. */
const CALLS = ['the first call', 'a call in a tool loop', 'the last call', 'a side call', 'a checkpoint call'] as const;
const LAST = 2;
const SIDE = 3;
const CHECKPOINT = 4;

const CHECKPOINT_FIELDS = {
  objective: 'Look at four things.',
  decisions: [{ what: 'Look in order', why: 'it is safer', status: 'settled' }],
  work: [],
  tasks: [],
  questions: [],
  risks: [],
  limitations: [],
};

const ANSWERS: readonly PlannedAnswer[] = [
  {
    thinking: 'I think about where I shall look first, and where then.',
    text: 'I look at two things, and say a little about each of them before I do so.',
    calls: [
      { id: 'call_a', name: 'work', arguments: { piece: 'a'.repeat(60) } },
      { id: 'call_b', name: 'work', arguments: { piece: 'b' } },
    ],
  },
  {
    thinking: 'One more is to be seen, and I know which one.',
    text: 'One more, and it is the last one of all.',
    calls: [
      { id: 'call_c', name: 'work', arguments: { piece: 'c'.repeat(90) } },
      { id: 'call_d', name: 'work', arguments: { piece: 'd' } },
    ],
  },
  { thinking: 'That was all.', text: 'That is all that there was to look at, and I have said what I found.' },
  { thinking: 'Aside.', text: 'Beside the conversation I say as much as this.' },
  { thinking: 'What matters?', text: JSON.stringify(CHECKPOINT_FIELDS) },
];
const HERE: PlannedAnswer = { text: 'Still here.' };

/**
 * Returns the index of the answer to a request. Uses only the latest prompt and tool results, because a request over a
 * WebSocket may contain only new content.
 */
function answerTo({ lastUserText, toolResults }: ReceivedRequest): number {
  if (lastUserText.includes('replaced by a checkpoint')) return CHECKPOINT;
  if (lastUserText.includes('Aside')) return SIDE;
  if (toolResults.some(({ id }) => id === 'call_c')) return 2;
  if (toolResults.some(({ id }) => id === 'call_a')) return 1;
  return lastUserText.includes('Look') ? 0 : -1;
}

interface Case extends Strike {
  readonly wire: Wire;
  readonly call: number;
  readonly where: string;
  /** Number of stream events after the fault. Undefined for a fault without a place in the stream. */
  readonly left?: number;
}

async function casesOf(wire: Wire): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const [call, answer] of ANSWERS.entries()) {
    for (const one of wholeStrikes(wire)) cases.push({ wire, call, where: 'whole', ...one });
    for (const { name, afterEvents, left } of await pointsOf(wire, answer, DELTAS, WHOLE))
      for (const one of streamStrikes(wire, afterEvents)) cases.push({ wire, call, where: name, left, ...one });
  }
  return WHOLE ? cases : reduced(cases);
}

/** Keeps one case for each fault at each place, and takes the cases from different calls in turn. */
function reduced(cases: readonly Case[]): readonly Case[] {
  const places = Map.groupBy(cases, ({ where, fault }) => `${where} ${JSON.stringify({ ...fault, afterEvents: 0 })}`);
  return [...places.values()].flatMap((same, index) => same[index % same.length] ?? []);
}

const counted = { tried: 0, completed: 0, ended: 0, again: 0, refused: 0 };
const kinds = new Set<string>();

afterAll(() => {
  const { tried, completed, ended, again, refused } = counted;
  tally('provider faults', {
    wires: WIRES.length,
    'kinds of fault': kinds.size,
    'calls of a turn': CALLS.length,
    cases: tried,
    'went on to the end': completed,
    'ended with a reason': ended,
    'requests sent again': again,
    'refused requests': refused,
    'invalid sessions': tried - completed - ended,
  });
});

describe.each(WIRES.map((wire) => [wire.name, wire] as const))('%s', async (_name, wire) => {
  const cases = await casesOf(wire);
  // The cases run concurrently, because they mostly wait.
  it.concurrent.each(cases.map((one) => [`${describeFault(one)}, ${one.where} of ${CALLS[one.call]}`, one] as const))(
    '%s, ends in a valid session',
    PATIENCE,
    async (_title, one) => play(one),
  );
});

describe('the tested faults', () => {
  it('include every kind that the simulator knows, and strike every call of a turn', async () => {
    const cases = (await Promise.all(WIRES.map(casesOf))).flat();
    expect(new Set(cases.map(({ fault }) => fault.kind))).toEqual(new Set(FAULT_KINDS));
    expect(new Set(cases.map(({ call }) => call)).size).toBe(CALLS.length);
  });
});

/** Creates a simulator that plays the fault once, at the call of the case, and counts how often that call arrives. */
function striking({ call, fault }: Case): { readonly simulator: Simulator; readonly arrived: () => number } {
  let arrived = 0;
  const queues = strikesConnection(fault);
  const simulator = createSimulator({
    deltaCharacters: DELTAS,
    onRequest: (sent): AnswerPlan => {
      const asked = answerTo(sent);
      const strikes = asked === call && arrived === 0 && !queues;
      if (asked === call) arrived += 1;
      // A fault of the connection must be set before the call arrives.
      if (asked === call - 1 && queues) simulator.fail(fault);
      return { answer: ANSWERS[asked] ?? HERE, ...(strikes && { fault }) };
    },
  });
  if (call === 0 && queues) simulator.fail(fault);
  return { simulator, arrived: () => arrived };
}

async function play(one: Case): Promise<void> {
  const { wire, call, fault, ends, left } = one;
  counted.tried += 1;
  kinds.add(fault.kind);
  const { simulator, arrived } = striking(one);
  const listening = await simulator.listen();
  const { idleMs, attempts } = WAITS[fault.kind === 'silence' && left !== 0 ? 'silence' : 'other'];
  const ran: string[] = [];
  const agent = agentOf({ model: wire.model, provider: wire.provider(listening.url, idleMs), attempts, ran });
  try {
    const session = await agent.open();
    const fails = ends && call <= LAST;
    await expectTurn(session, fails);
    await expectSide(session, ends && call === SIDE);
    if (call === CHECKPOINT) await expectCompacted(session, ends);
    const next = await session.prompt('Are you there?');
    const goesOn = fails && call > 0;
    expect(next).toMatchObject({ outcome: 'completed', text: goesOn ? ANSWERS[LAST]?.text : HERE.text });
    expect(ran).toEqual(fails && call === 0 ? [] : ['call_a', 'call_b', 'call_c', 'call_d']);
    expectStruck(arrived(), left);
    await verifies(agent, session.id, one);
    // The simulator refuses one request if the fault is a refusal, and otherwise none.
    const expected = ['rate-limited', 'overloaded', 'server-error', 'refused'].includes(fault.kind) ? 1 : 0;
    const refused = simulator.calls.filter(isRefused).length;
    counted.refused += Math.max(0, refused - expected);
    expect(refused).toBe(expected);
    counted.again += (await recordsOf(agent, session.id)).filter(isSentAgain).length;
    counted[ends ? 'ended' : 'completed'] += 1;
  } finally {
    await agent.close();
    await listening.close();
  }
}

async function expectTurn(session: AgentSession, fails: boolean): Promise<void> {
  expect(await session.prompt('Look.')).toMatchObject(
    fails
      ? { outcome: 'failed', error: { next: expect.stringMatching(/./) } }
      : { outcome: 'completed', text: ANSWERS[LAST]?.text },
  );
}

async function expectSide(session: AgentSession, fails: boolean): Promise<void> {
  const side = session.side({ purpose: 'check', prompt: 'Aside.', history: 'main' });
  if (fails) expect((await side).outcome).toBe('failed');
  else expect((await side).text).toBe(ANSWERS[SIDE]?.text);
}

/** Checks that the session is compacted. If the model's answer fails, the checkpoint is written from the log alone. */
async function expectCompacted(session: AgentSession, fails: boolean): Promise<void> {
  const report = await session.compact({ tailTokens: 500, by: 'model' });
  const strategy = fails ? 'deterministic' : 'model-assisted';
  expect(report).toMatchObject({ outcome: 'compacted', strategy });
}

/**
 * Checks how often the call with the fault arrived. A fault in the middle of the stream must cause a repetition, which
 * shows that the fault had an effect. A call whose answer arrived completely must not be repeated, because the provider
 * has billed it.
 */
function expectStruck(arrived: number, left: number | undefined): void {
  expect(arrived).toBeGreaterThan(0);
  if (left === 0) expect(arrived).toBe(1);
  // The last events may contain nothing that the answer needs, so a fault there may cause no repetition.
  if (left !== undefined && left > 2) expect(arrived).toBeGreaterThan(1);
}

/**
 * Checks if a call was refused. The error that a connection returns once after it forgot the previous response does not
 * count, because the call is then sent again in full.
 */
function isRefused({ status, refusal }: LedgerCall): boolean {
  return status !== 200 && refusal?.message.startsWith('Previous response') !== true;
}

function isSentAgain(record: Recorded): boolean {
  return record.kind === 'request.prepared' && record.data.attempt > 0;
}

function agentOf({
  model,
  provider,
  attempts,
  ran,
}: {
  readonly model: string;
  readonly provider: Provider;
  readonly attempts: number;
  readonly ran: string[];
}): Agent {
  const work = defineTool({
    name: 'work',
    description: 'Works on a piece.',
    input: z.object({ piece: z.string() }),
    effect: 'write',
    run: (_input, { call }) => {
      ran.push(call);
      // Long enough that a compaction lowers the cost.
      return `done ${call} `.repeat(200);
    },
  });
  return createAgent({
    model,
    provider,
    tools: [work],
    connection: { retry: { attempts } },
    permissions: { mode: 'auto' },
    host: { clock: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 10_000, signal) } },
  });
}

async function recordsOf(agent: Agent, session: SessionId): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(session)) records.push(record);
  return records;
}

/** Checks that the log verifies. The only allowed break is the epoch that applies the requested checkpoint. */
async function verifies(agent: Agent, session: SessionId, { wire: { encoder }, call }: Case): Promise<void> {
  const verified = await verifySession(agent.log, session, { encoders: () => encoder });
  const breaks = call === CHECKPOINT ? [{ cause: 'compaction' }] : [];
  expect(verified).toMatchObject({ differences: [], breaks, problems: [] });
}

function describeFault({ fault }: Strike): string {
  return JSON.stringify(fault).replaceAll(/[{}"]/g, '');
}
