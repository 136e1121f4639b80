// The agent of the chat: one tool, which asks the person before it runs.

import { createAgent, defineTool } from '@tidemark/kit';
import type { AgentOptions, Log } from '@tidemark/kit';
import type { SessionOpener } from '@tidemark/server';
import { appendFile } from 'node:fs/promises';
import { z } from 'zod';

/** Options of the agent: where its sessions and bookings are kept, and how it reaches the model. */
export interface ChatAgentOptions extends Pick<AgentOptions, 'apiKey' | 'baseURL' | 'connection' | 'host'> {
  readonly log: Log;
  /** File to which each booking is appended. */
  readonly bookings: string;
}

/** Creates the opener for the server. Each session gets its own agent, so that each question belongs to one session. */
export function createChatOpener({ log, bookings, ...connection }: ChatAgentOptions): SessionOpener {
  const book = defineTool({
    name: 'book_table',
    description: 'Books a table in the harbour inn.',
    effect: 'write',
    input: z.object({ guest: z.string().describe('Name of the guest, with the number of people.') }),
    async run({ guest }, { call }) {
      await appendFile(bookings, `${JSON.stringify({ call, guest })}\n`);
      return `A table is booked for ${guest}.`;
    },
  });
  const create = (ask: Parameters<SessionOpener['open']>[1]) =>
    createAgent({
      model: 'claude-sonnet-5-5',
      instructions: 'You answer the guests of a harbour inn. Be brief.',
      tools: [book],
      store: log,
      permissions: { mode: 'ask', ask },
      ...connection,
    });
  return {
    async create({ title }, ask) {
      const agent = create(ask);
      return { session: await agent.open(undefined, title === undefined ? {} : { title }), close: () => agent.close() };
    },
    async open(id, ask) {
      const agent = create(ask);
      return { session: await agent.open(id), close: () => agent.close() };
    },
    async fork(id, how, ask) {
      const agent = create(ask);
      return { session: await agent.fork(id, how), close: () => agent.close() };
    },
  };
}
