// Main program of a process that is killed. Starts the session `name`, or continues it, until it ends. Its tools write
// a line to disk each time they really run, so that a test sees a repeated call.
//
// Arguments: <home of the store> <folder for the lines of the tools> <URL of the provider> <name of the session>

import { randomUUID } from 'node:crypto';
import { appendFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentSession } from '@tidemark/agent';
import { THIS_MACHINE } from '@tidemark/agent';
import type { AgentOptions } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { z } from 'zod';
import { WORKING_TOOLS } from './working-script.ts';

const [home = '', folder = '', baseURL = '', name = ''] = process.argv.slice(2);
const id = sessionId(name);
const store = openNdjsonStore({ home });
// Writes the compile cache now, because a killed process does not write it at exit.
flushCompileCache();

async function stageOf(): Promise<'new' | 'empty' | 'begun' | 'ended'> {
  const { sessions } = await store.sessions();
  if (!sessions.some(({ session }) => session === id)) return 'new';
  let stage: 'empty' | 'begun' | 'ended' = 'empty';
  for await (const record of store.read(id)) {
    if (record.kind === 'turn.started') stage = 'begun';
    if (record.kind === 'turn.ended' && record.data.outcome === 'completed') stage = 'ended';
  }
  return stage;
}

/**
 * Starts the session with the prompt `task`, or resumes it if an earlier process has begun it. Prints the outcome of
 * the turn. Does nothing if the session has ended.
 */
export async function liveUntilKilled(task: string, more: Pick<AgentOptions, 'subagents'> = {}): Promise<void> {
  const stage = await stageOf();
  if (stage === 'ended') return;
  let named = 0;
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    apiKey: 'simulated',
    baseURL,
    store,
    tools: WORKING_TOOLS.map(({ name: tool, effect }) =>
      defineTool({
        name: tool,
        description: `Does a piece of work of the kind ${tool}.`,
        input: z.object({ piece: z.string(), ms: z.number() }),
        effect,
        run: async ({ piece, ms }, context) => {
          await pause(ms / 2);
          appendFileSync(join(folder, 'ran.txt'), `${context.call}\n`);
          await pause(ms / 2);
          return `${tool} ${piece}`;
        },
      }),
    ),
    permissions: { mode: 'auto', allowUnsandboxed: true },
    connection: { retry: { initialDelayMs: 1, maxDelayMs: 5 } },
    host: { clock: { ...THIS_MACHINE, newName: () => (named++ === 0 && stage === 'new' ? id : randomUUID()) } },
    ...more,
  });
  const session: AgentSession = await agent.open(stage === 'new' ? undefined : id);
  const { outcome, text, error } = await (stage === 'begun' ? session.resume() : session.prompt(task));
  writeSync(1, `${outcome} ${text} ${error?.message ?? ''}\n`);
  await agent.close();
}
