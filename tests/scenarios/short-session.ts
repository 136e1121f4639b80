// Short sessions with the kit on the simulator: runs a session with a system text of a given size and a given number of
// calls, and returns their costs.

import type { AgentOptions, CacheOptions } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import type { PaddingRecord } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { createSimulator } from '@tidemark/simulator';
import type { SimulatedUsage } from '@tidemark/simulator';
import { z } from 'zod';

/** Description of a session to play. */
export interface ShortSession {
  readonly model: string;
  /** Capabilities that the simulator assumes for the model. Default: the catalog row of the model's name. */
  readonly as?: Capabilities | undefined;
  readonly padding: NonNullable<CacheOptions['padding']>;
  /** Size of the agent's own system text in bytes. It sets the size of the front. */
  readonly role: number;
  readonly calls: number;
  /**
   * Course of the session. `talk`: each call is a turn with its own prompt. `work`: the calls belong to one turn, and
   * between two calls a tool returns this many bytes.
   */
  readonly course: 'talk' | { readonly work: number };
  readonly options?: Partial<AgentOptions>;
}

/** Result of a played session. */
export interface Came {
  /**
   * Cost of each call in US dollars, from the log. The first n costs are also the costs of a session that ends after n
   * calls.
   */
  readonly costs: readonly (number | undefined)[];
  /** Usage of each call as the simulator counted it. */
  readonly usages: readonly SimulatedUsage[];
  readonly padding: PaddingRecord | undefined;
  readonly layers: readonly string[];
}

/** Plays a session on a new simulator. */
export async function playShort({
  model,
  as,
  padding,
  role,
  calls,
  course,
  options = {},
}: ShortSession): Promise<Came> {
  let answers = 0;
  const simulator = createSimulator({
    ...(as === undefined ? {} : { capabilities: () => as }),
    onRequest: () => {
      answers += 1;
      const last = course === 'talk' || answers === calls;
      return {
        answer: last ? { text: prose(400) } : { text: 'Next.', calls: [{ name: 'look', arguments: { at: answers } }] },
      };
    },
  });
  const server = await simulator.listen();
  const look = defineTool({
    name: 'look',
    description: 'Looks at a part of the thing.',
    input: z.object({ at: z.number() }),
    effect: 'read',
    run: () => prose(course === 'talk' ? 1 : course.work),
  });
  const agent = createAgent({
    model,
    apiKey: 'not-a-key',
    baseURL: server.url,
    ...(role > 0 && { instructions: prose(role) }),
    tools: course === 'talk' ? [] : [look],
    permissions: { mode: 'auto' },
    ...options,
    cache: { padding, ...options.cache },
  });
  const session = await agent.open();
  const turns = course === 'talk' ? calls : 1;
  for (let turn = 0; turn < turns; turn += 1) await session.prompt(prose(300));
  const costs: (number | undefined)[] = [];
  let found: { readonly padding: PaddingRecord | undefined; readonly layers: readonly string[] } | undefined;
  for await (const record of agent.log.read(session.id)) {
    if (record.kind === 'epoch.opened')
      found ??= { padding: record.data.padding, layers: record.data.layers.map(({ name }) => name) };
    if (record.kind === 'answer.received')
      costs.push(record.data.cost === undefined ? undefined : Number(record.data.cost));
  }
  await agent.close();
  await server.close();
  const usages = simulator.calls.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return { costs, usages, padding: found?.padding, layers: found?.layers ?? [] };
}

const LINE = 'The rate is looked up by country, rounded half up to two digits, and then summed. ';

/** Returns English text of this length in bytes. */
export function prose(bytes: number): string {
  return LINE.repeat(Math.ceil(bytes / LINE.length)).slice(0, bytes);
}
