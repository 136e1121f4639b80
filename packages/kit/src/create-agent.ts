// The front door: an agent is what its sessions are run with. It opens them, and closes what it opened.

import { defined } from '@tidemark/core';
import type { AgentSession, ForkOptions, ForkPlan } from '@tidemark/agent';
import { openLiveSession, planFork } from '@tidemark/agent';
import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Capabilities, Provider } from '@tidemark/model';
import type { AgentOptions } from './agent-options.ts';
import { checkOptions } from './agent-options.ts';
import { chooseOther } from './choose-provider.ts';
import { KitError } from './kit-error.ts';
import type { LiveSession } from './live-session.ts';
import { holdSession } from './live-session.ts';
import type { ResolvedAgent } from './resolve-agent.ts';
import { resolveAgent } from './resolve-agent.ts';
import { withSkills } from './with-skills.ts';

/** How to open a session. */
export interface OpenOptions {
  /** What a new session is called in lists. */
  readonly title?: string;
}

/** An agent: opens sessions, any number at a time. */
export interface Agent {
  /** Where its sessions are kept. */
  readonly log: Log;
  /** What its model can do and costs. */
  readonly capabilities: Capabilities;
  /**
   * Opens a session: a new one, or with an id the one that is there. Opening sends nothing.
   *
   * @throws KitError `kit/closed`. @throws TypeError for an id that cannot be one. @throws LogError `log/missing`, `log/locked`, `log/damaged`.
   */
  open(id?: string, options?: OpenOptions): Promise<LiveSession>;
  /**
   * Opens a fork of a session, open elsewhere or not: it begins as that one was up to a record, and its first request reads
   * what that one has cached. A rewind is a fork `beforePrompt`; files stay as they are.
   *
   * @throws AgentError `agent/not-closed` with the nearest closed positions, `agent/no-such-record`. @throws as `open`.
   */
  fork(id: string, options?: ForkOptions): Promise<LiveSession>;
  /** Closes every session that is still open, where what runs ends as interrupted, and the providers that were not given whole. */
  close(): Promise<void>;
}

/**
 * Makes an agent. Nothing is read from the environment, sent or written yet.
 *
 * @throws KitError `kit/bad-options`, `kit/no-key`, `kit/unknown-model`. @throws CatalogError for a bad `catalog`.
 */
export function createAgent(options: AgentOptions): Agent {
  checkOptions(options);
  const resolved = resolveAgent(options);
  const { log, runtime, mcp } = resolved;
  // What is the author's own may serve others: whoever made it closes it.
  const made = new Set<Pick<Provider, 'close'>>(typeof options.provider === 'object' ? [] : [runtime.provider]);
  if (mcp !== undefined && mcp !== options.mcp) made.add(mcp);
  const sessions = new Set<LiveSession>();
  let closed = false;
  const hold = (session: AgentSession): LiveSession => {
    const held = holdSession(session, {
      ended: () => void sessions.delete(held),
      find(model, reach) {
        const other = chooseOther(options, model, reach);
        if (typeof reach.provider !== 'object') made.add(other.provider);
        return other;
      },
      hold,
    });
    sessions.add(held);
    return held;
  };
  return {
    log,
    capabilities: runtime.capabilities,
    async open(id, { title } = {}) {
      if (closed) throw closedError();
      void mcp?.ready();
      return hold(await (id === undefined ? begin(resolved, options, title) : goOn(resolved, options, id)));
    },
    async fork(id, how) {
      if (closed) throw closedError();
      void mcp?.ready();
      return hold(await fork(resolved, options, await planFork(log, sessionId(id), how)));
    },
    async close() {
      closed = true;
      try {
        await Promise.all([...sessions].map((session) => session.close()));
      } finally {
        await Promise.all([...made].map(async (one) => one.close?.()));
      }
    },
  };
}

async function begin(resolved: ResolvedAgent, options: AgentOptions, title: string | undefined): Promise<AgentSession> {
  const { log, runtime, secrets, workspace, firstMode, skills } = resolved;
  return openLiveSession({
    log,
    runtime: await withSkills(runtime, skills),
    secrets,
    workspace,
    id: sessionId(runtime.surroundings.newName()),
    create: true,
    mode: firstMode,
    ...defined({ title }),
    ...presenterOf(options),
  });
}

/** A session that is there keeps its mode, or the narrower one that the author asked for. */
async function goOn(resolved: ResolvedAgent, options: AgentOptions, id: string): Promise<AgentSession> {
  const { log, runtime, secrets, skills } = resolved;
  const mode = options.permissions?.mode;
  return openLiveSession({
    log,
    runtime: await withSkills(runtime, skills),
    secrets,
    id: sessionId(id),
    ...defined({ mode }),
    ...presenterOf(options),
  });
}

/** A fork keeps its parent's mode, or the narrower one that the author asked for. */
async function fork(resolved: ResolvedAgent, options: AgentOptions, forks: ForkPlan): Promise<AgentSession> {
  const { log, runtime, secrets, skills } = resolved;
  const mode = options.permissions?.mode;
  return openLiveSession({
    log,
    runtime: await withSkills(runtime, skills),
    secrets,
    forks,
    id: sessionId(runtime.surroundings.newName()),
    ...defined({ mode }),
    ...presenterOf(options),
  });
}

function presenterOf({ presenter }: AgentOptions): { readonly presenter?: string } {
  return presenter === undefined ? {} : { presenter };
}

function closedError(): KitError {
  return new KitError('kit/closed', 'this agent was closed: make another one to open a session');
}
