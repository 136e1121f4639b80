// An agent as a person embeds it, against a simulator on a port, with every body that went out kept: what was sent is
// judged from its bytes alone.

import type { AgentSession, SessionEvent, Tool } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import type { AgentOptions } from '@tidemark/kit';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { AnswerPlan, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { expect } from 'vitest';
import type { Place } from './place.ts';
import { asFields, asList } from './shown.ts';

/** What a play is made of. */
export interface Playing extends Partial<AgentOptions> {
  readonly place: Place;
  readonly tools?: readonly Tool[];
  /** The session to open; else one begins. */
  readonly id?: string;
  /** What is answered; `arrived` counts from 0. */
  readonly answer: (sent: ReceivedRequest, arrived: number) => AnswerPlan;
  /** The one who answers, where it outlives the agent; it then answers as it was told to first. */
  readonly simulator?: Simulator;
}

/** A session of an agent. */
export interface Played {
  readonly live: AgentSession;
  /** Every body that went out, in order. */
  readonly bodies: readonly string[];
  readonly simulator: Simulator;
}

/** Opens a session, plays with it, closes all, and checks that nothing was refused and no body was ill-formed. */
export async function play<T>(playing: Playing, act: (played: Played) => Promise<T>): Promise<T> {
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
      // What waits for seconds waits for milliseconds.
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

/** A simulator that answers so, in pieces of a few characters. `takesUp`: it knows the thoughts that another one signed. */
export function answering(answer: Playing['answer'], takesUp = false): Simulator {
  let arrived = 0;
  return createSimulator({
    deltaCharacters: 12,
    recordedSignatures: takesUp ? 'issued' : 'refused',
    onRequest: (sent) => answer(sent, arrived++),
  });
}

/** Waits for the nth event from now on that is of this kind; `false` when no turn runs any more before that. */
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

/** One message of a body: who speaks, and its blocks. */
export interface SentMessage {
  readonly role: unknown;
  readonly blocks: readonly { readonly [name: string]: unknown }[];
}

/** The messages of a body. */
export function messagesOf(body: string): readonly SentMessage[] {
  return asList(asFields(JSON.parse(body))['messages']).map((message) => {
    const { role, content } = asFields(message);
    return { role, blocks: asList(content).map(asFields) };
  });
}

/** The texts of all results of a body, in order. */
export function resultsOf(body: string | undefined): readonly string[] {
  const blocks = body === undefined ? [] : messagesOf(body).flatMap((message) => message.blocks);
  return blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content));
}

/** A call without its result in the very next message, a result without its call, reasoning that nothing follows. */
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
