// A folder of skills, and sessions of an agent that finds them there.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recorded } from '@tidemark/log';
import { callId, sessionId } from '@tidemark/log';
import type { ScriptedAnswer, ScriptedProvider } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { onTestFinished } from 'vitest';
import type { AgentOptions } from '../src/agent-options.ts';
import type { Agent } from '../src/create-agent.ts';
import { createAgent } from '../src/create-agent.ts';
import type { AgentSession } from '@tidemark/agent';

/** The model of the sessions, unless a test names another. */
export const MODEL = 'claude-sonnet-5-5';

/** A session with what came of it. */
export interface Played {
  readonly agent: Agent;
  readonly provider: ScriptedProvider;
  readonly live: AgentSession;
  readonly notices: readonly string[];
  records(): Promise<readonly Recorded[]>;
  /** Results of calls, each with whether it failed. */
  results(): Promise<readonly string[]>;
  loaded(): Promise<readonly string[]>;
}

/** What a test plays with. */
export interface SkilledRoom {
  readonly folder: string;
  /** Writes a skill into the folder. `more`: further lines of its front matter. */
  install(name: string, skill?: { readonly body?: string; readonly more?: string }): Promise<void>;
  /** Opens a session: a new one without an id. */
  play(answers: readonly ScriptedAnswer[], options?: Partial<AgentOptions> & { readonly id?: string }): Promise<Played>;
}

/** Opens a folder without skills. It is gone when the test ends. */
export async function openSkilledRoom(): Promise<SkilledRoom> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-kit-skills-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return {
    folder,
    async install(name, { body = `Do ${name} well.`, more = '' } = {}) {
      await mkdir(join(folder, name), { recursive: true });
      const head = `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n`;
      await writeFile(join(folder, name, 'SKILL.md'), `${head}${body}\n`);
    },
    play: (answers, options) => play(folder, answers, options),
  };
}

/** An answer of words. */
export const says = (text = 'Done.'): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });

let calls = 0;

/** An answer that loads skills, one call for each input. */
export function loads(...inputs: readonly object[]): ScriptedAnswer {
  const parts = inputs.map((input) => ({
    type: 'call' as const,
    call: callId(`call_${(calls += 1)}`),
    name: 'skill_load',
    arguments: JSON.stringify(input),
  }));
  return { parts };
}

async function play(
  folder: string,
  answers: readonly ScriptedAnswer[],
  { id, ...options }: Partial<AgentOptions> & { readonly id?: string } = {},
): Promise<Played> {
  const provider = createScriptedProvider({ answers });
  const agent = createAgent({
    model: MODEL,
    provider,
    skills: { roots: [{ folder, source: 'home' }] },
    permissions: { mode: 'read-only' },
    ...options,
    cache: { padding: 'never', warm: 'off', ...options.cache },
  });
  onTestFinished(() => agent.close());
  const live = await agent.open(id);
  const notices: string[] = [];
  void (async () => {
    for await (const event of live.events()) if (event.type === 'notice.raised') notices.push(event.notice.code);
  })();
  const records = (): Promise<readonly Recorded[]> => Array.fromAsync(agent.log.read(sessionId(live.id)));
  return {
    agent,
    provider,
    live,
    notices,
    records,
    results: async () =>
      (await records()).flatMap(({ kind, data }) =>
        kind === 'tool.returned' || kind === 'tool.failed'
          ? [`${kind}: ${data.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`]
          : [],
      ),
    loaded: async () =>
      (await records()).flatMap(({ kind, data }) => (kind === 'skill.loaded' ? [`${data.name} ${data.reason}`] : [])),
  };
}

/** The requests of a session, as they were sent. */
export const bodies = ({ provider }: Pick<Played, 'provider'>): readonly string[] =>
  provider.sent.map(({ body }) => new TextDecoder().decode(body));
