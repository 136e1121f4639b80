// Each fault of a provider at each point of a turn, on each wire: the turn goes on or ends with a reason, every tool runs once,
// the log is whole, and the next prompt is answered. Reduced to each fault at each place of one of the calls; the whole of it,
// at each event of each call, with TIDEMARK_FULL=1.

import { createAgent, defineTool } from '@tidemark/kit';
import type { Agent } from '@tidemark/kit';
import type { Recorded, SessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import { THIS_MACHINE, verifySession } from '@tidemark/agent';
import type { AnswerPlan, Fault, LedgerCall, ScriptedAnswer, SentRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Wire } from './provider-wires.ts';
import { WIRES } from './provider-wires.ts';
import { pointsOf } from './stream-points.ts';

const FULL = process.env['TIDEMARK_FULL'] === '1';
const DELTAS = 16;
/**
 * How long a call may be silent: short only where it will be. A busy machine may look silent then, more than once: it is asked
 * again as often as it takes.
 */
const PATIENCE = { silence: { idleMs: 250, attempts: 40 }, other: { idleMs: 20_000, attempts: 4 } } as const;

/** The calls of a turn: the first, one between tools, the last; and one beside it. */
const CALLS = ['the first call', 'a call in a tool loop', 'the last call', 'a side call'] as const;
const SIDE = 3;

const ANSWERS: readonly ScriptedAnswer[] = [
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
];
const HERE: ScriptedAnswer = { text: 'Still here.' };

/** Which answer a request is to be given: by what was said and returned last, as a request may bring only what is new. */
function answerTo({ lastUserText, toolResults }: SentRequest): number {
  if (lastUserText.includes('Aside')) return SIDE;
  if (toolResults.some(({ id }) => id === 'call_c')) return 2;
  if (toolResults.some(({ id }) => id === 'call_a')) return 1;
  return lastUserText.includes('Look') ? 0 : -1;
}

interface Case {
  readonly wire: Wire;
  readonly call: number;
  readonly where: string;
  readonly fault: Fault;
  /** Waiting does not help: the turn ends with a reason. */
  readonly ends: boolean;
}

/** Faults that are not of a stream's place. */
function faultsOf(wire: Wire): readonly (readonly [fault: Fault, ends: boolean])[] {
  return [
    [{ kind: 'rate-limited', retryAfter: 7 }, false],
    [{ kind: 'rate-limited' }, wire.tellsSpent],
    [{ kind: 'overloaded' }, false],
    [{ kind: 'server-error' }, false],
    [{ kind: 'refused', message: 'max_tokens: this is not what we take' }, true],
    [{ kind: 'refused', status: 401, type: 'authentication_error', message: 'no such key' }, true],
    [{ kind: 'slow-first-byte', ms: 20 }, false],
    [{ kind: 'evicted' }, false],
    [{ kind: 'wrong-usage', usage: { cache_read_input_tokens: 999_999, input_tokens: 0 } }, false],
    ...(wire.sockets ? SOCKET_FAULTS.map((fault) => [fault, false] as const) : []),
  ];
}

const SOCKET_FAULTS: readonly Fault[] = [
  { kind: 'upgrade-refused' },
  { kind: 'upgrade-refused', status: 503 },
  { kind: 'forgotten' },
];

function streamFaults(wire: Wire, afterEvents: number): readonly Fault[] {
  const failed = wire.name.includes('responses') && afterEvents > 0;
  return [
    { kind: 'cut', afterEvents },
    { kind: 'silence', afterEvents },
    { kind: 'error-event', afterEvents },
    ...(failed ? [{ kind: 'error-event', afterEvents, form: 'failed' } as const] : []),
    { kind: 'malformed-event', afterEvents },
  ];
}

async function casesOf(wire: Wire): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const [call, answer] of ANSWERS.entries()) {
    for (const [fault, ends] of faultsOf(wire)) cases.push({ wire, call, where: 'whole', fault, ends });
    for (const { name, afterEvents } of await pointsOf(wire, answer, DELTAS, FULL))
      for (const fault of streamFaults(wire, afterEvents)) cases.push({ wire, call, where: name, fault, ends: false });
  }
  return FULL ? cases : reduced(cases);
}

/** Each fault at each place once, at one call after the other. */
function reduced(cases: readonly Case[]): readonly Case[] {
  const places = Map.groupBy(cases, ({ where, fault }) => `${where} ${JSON.stringify({ ...fault, afterEvents: 0 })}`);
  return [...places.values()].flatMap((same, index) => same[index % same.length] ?? []);
}

const counted = { cases: 0, completed: 0, ended: 0, again: 0 };

afterAll(() => {
  const { cases, completed, ended, again } = counted;
  const what = FULL ? 'all of them' : 'each fault at each place of one call; TIDEMARK_FULL=1 plays all';
  console.log(
    `provider faults: ${cases} cases on ${WIRES.length} wires (${what}): ${completed} went on to the end, ${ended} ended with a reason, ${again} calls were sent again; every session was valid and answered the next prompt`,
  );
});

describe.each(WIRES.map((wire) => [wire.name, wire] as const))('%s', async (_name, wire) => {
  const cases = await casesOf(wire);
  // They wait more than they work.
  it.concurrent.each(
    cases.map((one) => [`${describeFault(one.fault)}, ${one.where} of ${CALLS[one.call]}`, one] as const),
  )('%s, ends in a valid session', async (_title, one) => play(one));
});

async function play({ wire, call, fault, ends }: Case): Promise<void> {
  const ran: string[] = [];
  let struck = false;
  const simulator = createSimulator({
    deltaCharacters: DELTAS,
    onRequest: (sent): AnswerPlan => {
      const asked = answerTo(sent);
      const strikes = asked === call && !struck && !isQueued(fault);
      struck ||= strikes;
      // A fault that strikes a connection is there before the call is.
      if (asked === call - 1 && isQueued(fault)) simulator.fail(fault);
      return { answer: ANSWERS[asked] ?? HERE, ...(strikes && { fault }) };
    },
  });
  if (call === 0 && isQueued(fault)) simulator.fail(fault);
  const listening = await simulator.listen();
  const { idleMs, attempts } = PATIENCE[fault.kind === 'silence' ? 'silence' : 'other'];
  const agent = agentOf({ model: wire.model, provider: wire.provider(listening.url, idleMs), attempts, ran });
  try {
    const session = await agent.open();
    const turn = await session.prompt('Look.');
    const fails = ends && call !== SIDE;
    expect(turn).toMatchObject(
      fails
        ? { outcome: 'failed', error: { next: expect.stringMatching(/./) } }
        : { outcome: 'completed', text: ANSWERS[2]?.text },
    );
    const side = session.side({ purpose: 'check', words: 'Aside.', history: 'main' });
    if (ends && call === SIDE) await expect(side).rejects.toThrow();
    else expect((await side).text).toBe(ANSWERS[SIDE]?.text);
    const next = await session.prompt('Are you there?');
    const goesOn = fails && call > 0;
    expect(next).toMatchObject({ outcome: 'completed', text: goesOn ? ANSWERS[2]?.text : HERE.text });
    expect(ran).toEqual(fails && call === 0 ? [] : ['call_a', 'call_b', 'call_c', 'call_d']);
    await verifies(agent, session.id, wire);
    // What the simulator refused, it refused because it was told to.
    const told = ['rate-limited', 'overloaded', 'server-error', 'refused'].includes(fault.kind) ? 1 : 0;
    expect(simulator.calls.filter(isRefused)).toHaveLength(told);
    counted.cases += 1;
    counted[fails || (ends && call === SIDE) ? 'ended' : 'completed'] += 1;
    counted.again += (await recordsOf(agent, session.id)).filter(isSentAgain).length;
  } finally {
    await agent.close();
    await listening.close();
  }
}

/** A connection that was told to forget says so once, before the call goes out whole. */
function isRefused({ status, refusal }: LedgerCall): boolean {
  return status !== 200 && refusal?.message.startsWith('Previous response') !== true;
}

function isQueued({ kind }: Fault): boolean {
  return kind === 'upgrade-refused' || kind === 'forgotten';
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
      return `done ${call}`;
    },
  });
  return createAgent({
    model,
    provider,
    tools: [work],
    retry: { attempts },
    permissions: { mode: 'auto' },
    surroundings: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 10_000, signal) },
  });
}

async function recordsOf(agent: Agent, session: SessionId): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of agent.log.read(session)) records.push(record);
  return records;
}

async function verifies(agent: Agent, session: SessionId, { encoder }: Wire): Promise<void> {
  const verified = await verifySession(agent.log, session, { encoders: () => encoder });
  expect(verified).toMatchObject({ differences: [], problems: [] });
  // A usage above the window is believed: the session compacts, and says so.
  expect(verified.breaks.filter(({ cause }) => cause !== 'compaction')).toEqual([]);
}

function describeFault(fault: Fault): string {
  return JSON.stringify(fault).replaceAll(/[{}"]/g, '');
}
