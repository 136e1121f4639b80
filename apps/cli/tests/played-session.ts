// Creates a small session through `@tidemark/kit`, with the simulator in this process and a clock of the test. The
// records are identical in every run. The session has several prompts and a pause of six minutes. It also has a tool
// that is added, and a side call for a title.

import type { Agent, AgentSession, Tool } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Log } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { Provider, StreamPart } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import { createSimulator } from '@tidemark/simulator';

/** Time in milliseconds since 1970. Only the test changes it. */
interface Clock {
  now: number;
}

const NOON = Date.UTC(2026, 10, 20, 12);
const SECOND = 1_000;
const MINUTE = 60_000;

/** Creates the session in a store and returns its id. `begin` is the start time in milliseconds since 1970. */
export async function playSession(store: Log, begin: number = NOON): Promise<string> {
  const clock: Clock = { now: begin };
  const agent = agentOn(store, clock);
  const session = await agent.open(undefined, { title: 'a small session' });
  await session.prompt('word '.repeat(4_000));
  await later(clock, session, 30 * SECOND, 'What did I say?');
  await session.side({ purpose: 'title', prompt: 'Name this conversation.', history: 'main' });
  await later(clock, session, 6 * MINUTE, 'I am back.');
  session.setTools([look]);
  await later(clock, session, 20 * SECOND, 'Now look.');
  await later(clock, session, 20 * SECOND, 'And once more.');
  await agent.close();
  return session.id;
}

/**
 * Creates a session and returns its id. Its second request is the first request above 100,000 tokens. Above this size
 * the model costs more.
 */
export async function playLongSession(store: Log): Promise<string> {
  const clock: Clock = { now: NOON };
  const agent = agentOn(store, clock, 'claude-haiku-5-5');
  const session = await agent.open(undefined, { title: 'a long session' });
  await session.prompt('word '.repeat(79_000));
  await later(clock, session, 30 * SECOND, 'more '.repeat(2_000));
  await later(clock, session, 30 * SECOND, 'And now?');
  await agent.close();
  return session.id;
}

const look: Tool = {
  name: 'look',
  description: 'Looks at something.',
  schema: { type: 'object' },
  effect: 'read',
  read: () => ({ title: 'look', run: async () => ({ text: 'seen' }) }),
};

function agentOn(store: Log, clock: Clock, model = 'claude-sonnet-4-5'): Agent {
  let names = 0;
  return createAgent({
    model,
    provider: simulated(clock),
    store,
    cache: { ttl: '5m', rewriteNotice: {} },
    host: {
      clock: {
        now: () => timestamp(new Date(clock.now).toISOString()),
        elapsed: () => clock.now,
        wait: (_ms, signal) => new Promise((end) => signal?.addEventListener('abort', () => end(), { once: true })),
        random: () => 0.5,
        newName: () => `played-${new Date(clock.now).getUTCDate()}-${(names += 1)}`,
      },
    },
  });
}

async function later(clock: Clock, session: AgentSession, ms: number, words: string): Promise<void> {
  clock.now += ms;
  await session.prompt(words);
}

function simulated(clock: Clock): Provider {
  const simulator = createSimulator({
    idSeed: 'played',
    clock: 'virtual',
  });
  return {
    name: 'anthropic',
    encoder: anthropicEncoder,
    async *send({ body, betas }): AsyncGenerator<StreamPart> {
      const reply = simulator.messages({ body, betas, at: clock.now, answer: { text: 'So it is.' } });
      if (reply.outcome === 'refused') throw new Error(`refused: ${reply.message}`);
      clock.now += 2 * SECOND;
      yield { type: 'finished', answer: decodeMessage(JSON.stringify(reply.message)) };
    },
  };
}
