// Test helper: a folder of skills, and sessions of an agent that uses this folder.

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

export const MODEL = 'claude-sonnet-5-5';

/** An agent, its open session, and functions that read the session's log. */
export interface Played {
  readonly agent: Agent;
  readonly provider: ScriptedProvider;
  readonly live: AgentSession;
  readonly notices: readonly string[];
  records(): Promise<readonly Recorded[]>;
  /** Results of the tool calls, each with its event kind: `tool.returned: …` or `tool.failed: …`. */
  results(): Promise<readonly string[]>;
  loaded(): Promise<readonly string[]>;
}

/** A folder of skills with functions to fill it and to open sessions. */
export interface SkilledRoom {
  readonly folder: string;
  /** Writes a skill into the folder. `more` contains additional lines of its front matter. */
  install(name: string, skill?: { readonly body?: string; readonly more?: string }): Promise<void>;
  /** Opens the session with the given id, or a new session if `id` is absent. */
  play(answers: readonly ScriptedAnswer[], options?: Partial<AgentOptions> & { readonly id?: string }): Promise<Played>;
}

/** Creates a folder without skills. It is deleted when the test ends. */
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

export const says = (text = 'Done.'): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });

let calls = 0;

/** Returns an answer with one `skill_load` call for each input. */
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

export const bodies = ({ provider }: Pick<Played, 'provider'>): readonly string[] =>
  provider.sent.map(({ body }) => new TextDecoder().decode(body));
