// An agent as an application embeds it, against a simulator on a port. `play` keeps every body that was sent, so tests
// can check the bytes alone. Most tests play the same turn: three calls, one more call, and the end.

import type { AgentSession, SessionEvent, Tool } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import type { AgentOptions } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import type { Recorded, SessionId } from '@tidemark/log';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, PlannedAnswer, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Place, StoreName } from './place.ts';
import { newPlace, within } from './place.ts';
import { asFields, asList } from './shown.ts';
import { FULL } from './stories.ts';

/** Options of an agent, its place, and the planned answers of its model. */
export interface Playing extends Partial<AgentOptions> {
  readonly place: Place;
  readonly tools?: readonly Tool[];
  /** Id of the session to open. Default: a new session. */
  readonly id?: string;
  /** Returns the answer to a request. `arrived` counts the requests from 0. */
  readonly answer: (sent: ReceivedRequest, arrived: number) => AnswerPlan;
  /**
   * Simulator to use instead of a new one. It answers with the function that it was created with, and ignores `answer`.
   */
  readonly simulator?: Simulator;
}

/** An open session, its simulator and the bodies that were sent. */
export interface PlayedAgent {
  readonly live: AgentSession;
  /** Every body that was sent, in order. */
  readonly bodies: readonly string[];
  readonly simulator: Simulator;
}

/**
 * Opens a session, runs `act`, and closes the agent and the simulator. Checks that no request got the status 400 and
 * that no body was malformed.
 */
export async function play<T>(playing: Playing, act: (played: PlayedAgent) => Promise<T>): Promise<T> {
  const { place, id, answer, simulator = answering(answer, id !== undefined), ...options } = playing;
  const bodies: string[] = [];
  const listening = await simulator.listen();
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    provider: createAnthropicProvider({ apiKey: 'simulated', baseURL: listening.url, idleMs: 500 }),
    store: place.open(),
    permissions: { mode: 'auto', allowUnsandboxed: true },
    ...options,
    connection: { onRequest: (body) => bodies.push(new TextDecoder().decode(body)), ...options.connection },
    host: {
      // A wait of a second takes a millisecond.
      clock: { ...THIS_MACHINE, wait: (ms, signal) => THIS_MACHINE.wait(ms / 1_000, signal) },
      ...options.host,
    },
  });
  try {
    return await act({ live: await agent.open(id), bodies, simulator });
  } finally {
    await agent.close();
    await listening.close();
    expect(simulator.calls.filter(({ status }) => status === 400)).toEqual([]);
    expect(bodies.flatMap(faultsOf)).toEqual([]);
  }
}

/**
 * Returns a simulator that streams its answers in pieces of 12 characters. With `continues`, it accepts signatures that
 * another simulator issued.
 */
export function answering(answer: Playing['answer'], continues = false): Simulator {
  let arrived = 0;
  return createSimulator({
    deltaCharacters: 12,
    recordedSignatures: continues ? 'issued' : 'refused',
    onRequest: (sent) => answer(sent, arrived++),
  });
}

/**
 * Waits for event number `nth`, counted from 0, of those for which `counts` returns true. Returns false if the turn
 * ends first.
 */
export async function reaches(
  events: AsyncIterable<SessionEvent>,
  nth: number,
  counts: (event: SessionEvent) => boolean = () => true,
): Promise<boolean> {
  let seen = 0;
  for await (const event of events) {
    if (event.type === 'recorded' && event.record.kind === 'turn.ended') return false;
    if (counts(event) && seen++ === nth) return true;
  }
  return false;
}

/** One message of a request body. */
export interface SentMessage {
  readonly role: unknown;
  readonly blocks: readonly { readonly [name: string]: unknown }[];
}

/** Returns the messages of a body. */
export function messagesOf(body: string): readonly SentMessage[] {
  return asList(asFields(JSON.parse(body))['messages']).map((message) => {
    const { role, content } = asFields(message);
    return { role, blocks: asList(content).map(asFields) };
  });
}

/** Returns the content of each tool result in a body as JSON, in order. */
export function resultsOf(body: string | undefined): readonly string[] {
  const blocks = body === undefined ? [] : messagesOf(body).flatMap((message) => message.blocks);
  return blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content));
}

/**
 * Returns an error text for each call without a result in the next message, for each result without a call in the
 * previous message, and for each message that ends with reasoning.
 */
function faultsOf(body: string): readonly string[] {
  const messages = messagesOf(body);
  return messages.flatMap(({ role, blocks }, index) => {
    const calls = idsOf(messages[index - 1], 'tool_use', 'id');
    const results = idsOf(messages[index], 'tool_result', 'tool_use_id');
    const opens = idsOf(messages[index], 'tool_use', 'id').filter(
      (id) => !idsOf(messages[index + 1], 'tool_result', 'tool_use_id').includes(id),
    );
    const orphans = results.filter((id) => !calls.includes(id));
    const last = blocks.at(-1)?.['type'];
    const dangling = role === 'assistant' && (last === 'thinking' || last === 'redacted_thinking');
    return [
      ...opens.map((id) => `call ${id} has no result`),
      ...orphans.map((id) => `result ${id} has no call`),
      ...(dangling ? [`message ${index} ends with reasoning`] : []),
    ];
  });
}

function idsOf(message: SentMessage | undefined, type: string, field: string): readonly string[] {
  return (message?.blocks ?? []).filter((block) => block['type'] === type).map((block) => String(block[field]));
}

/** Prompt that a test sends after the turn. */
export const AGAIN = 'And now?';
/** Answers of the model in the turn that most tests play. */
export const STEPS: readonly PlannedAnswer[] = [
  {
    thinking: 'I think about what there is to see, and where to look for it.',
    text: 'I look at both, and change one of them.',
    calls: [
      { id: 'call_a', name: 'look', arguments: { at: 'a'.repeat(30) } },
      { id: 'call_b', name: 'look', arguments: { at: 'b' } },
      { id: 'call_c', name: 'change', arguments: { at: 'c' } },
    ],
  },
  { thinking: 'One more.', calls: [{ id: 'call_d', name: 'look', arguments: { at: 'd' } }] },
  { text: 'That is all.' },
];

/**
 * Returns the next answer of the turn, which depends on the calls that the request already contains. The prompt `AGAIN`
 * has a separate answer.
 */
export function byStep({ body, lastUserText }: ReceivedRequest): AnswerPlan {
  if (lastUserText.includes(AGAIN)) return { answer: { text: 'I see.' } };
  const held = JSON.stringify(body);
  return { answer: STEPS[held.includes('"call_d"') ? 2 : held.includes('"call_c"') ? 1 : 0] ?? { text: '' } };
}

const at = z.object({ at: z.string() });
/** Function that a tool of `toolsThat` runs. */
export type ToolRun = Parameters<typeof defineTool<typeof at>>[0]['run'];

/** Returns the tool `look`, which reads, and the tool `change`, which writes. */
export function toolsThat(look: ToolRun, change: ToolRun = look): readonly Tool[] {
  const made = { description: 'Looks or changes.', input: at };
  return [
    defineTool({ ...made, name: 'look', effect: 'read', run: look }),
    defineTool({ ...made, name: 'change', effect: 'write', run: change }),
  ];
}

/** Tools that return at once. */
export const quick: readonly Tool[] = toolsThat(({ at: where }) => `seen ${where}`);

/**
 * Both stores. A test that tries the points of a turn tries every `stride`th point. On a disk it tries fewer points,
 * because a disk is slower.
 */
export const STORES: readonly { readonly store: StoreName; readonly stride: number }[] = [
  { store: 'memory', stride: FULL ? 1 : 3 },
  { store: 'ndjson', stride: FULL ? 3 : 14 },
];

/** Runs `act` in a new place and removes the place. */
export function onNew<T>(store: StoreName, act: (place: Place) => Promise<T>): Promise<T> {
  return within(newPlace(store), act);
}

/** Prompts the session once more and expects its answer. */
export async function expectAnswered(live: AgentSession): Promise<void> {
  expect(await live.prompt(AGAIN)).toMatchObject({ outcome: 'completed', text: 'I see.' });
}

/** A session whose process has ended, and its place. */
export interface LeftSession {
  readonly place: Place;
  readonly id: SessionId;
}

/** Plays the whole turn in a place. Returns the session and its records. */
export async function playedWhole(place: Place): Promise<LeftSession & { readonly records: readonly Recorded[] }> {
  await play({ place, tools: quick, answer: byStep }, async ({ live }) => {
    expect(await live.prompt('Go.')).toMatchObject({ outcome: 'completed', text: 'That is all.' });
  });
  return recordsOf(place);
}

/** Returns the only session of a place, and its records. */
export async function recordsOf(place: Place): Promise<LeftSession & { readonly records: readonly Recorded[] }> {
  const log = place.open();
  const [found] = (await log.sessions()).sessions;
  if (found === undefined) throw new Error('there is no session');
  return { place, id: found.session, records: await Array.fromAsync(log.read(found.session)) };
}

/** Copies the place, with a log that ends after the record at position `last`, and runs `act` there. */
export async function cutAfter(place: Place, last: number, act: (left: LeftSession) => Promise<void>): Promise<void> {
  const { id } = await recordsOf(place);
  const bytes = place.bytesOf(id);
  let length = 0;
  for (let line = 0; line <= last; line += 1) length = bytes.indexOf(0x0a, length) + 1;
  await within(place.copyWith(id, bytes.subarray(0, length)), (copy) => act({ place: copy, id }));
}
