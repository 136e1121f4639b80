// Port of own agents: roles that the user wrote in files, with the tools, the model and the limits for them. The
// implementation decides the places of the files and their format.

import type { AgentChosen } from '@tidemark/log';

/** An own agent of the user: a role, with the tools, the model and the limits for it. */
export interface OwnAgent extends AgentChosen {
  /** Text for the model that decides which agent gets a task. */
  readonly description: string;
  /** Place where the agent was found: `workspace`, `home`, `config`, `settings`. */
  readonly source: string;
  /** Name or short name of its model. Absent if it uses the model of the session that starts it. */
  readonly model?: string;
  /** Reasoning effort. Absent if it keeps the effort of the session that starts it. */
  readonly effort?: string;
  /** Limits of the agent as a subagent, in addition to those of all subagents. */
  readonly limits?: OwnAgentLimits;
}

/** Limits of an own agent, in the form of the limits of a turn. */
export interface OwnAgentLimits {
  readonly steps?: number;
  readonly ms?: number;
  readonly tokens?: number;
  readonly cost?: string;
}

/** Own agents, as of the last scan. The owner of the shelf repeats the scan. */
export interface AgentShelf {
  /** All names that can be used now, always in the same order. */
  readonly names: readonly string[];
  find(name: string): OwnAgent | undefined;
}

/** Tools that a session may use, by the own agent that names them. */
export interface ToolLimit {
  /** Name of the own agent. */
  readonly agent: string;
  /** Names and patterns of tools, such as `read` or `github__*`. */
  readonly tools: readonly string[];
  /**
   * True if the list of tools contains only the allowed ones. With false, the list stays complete and each call of
   * another tool is refused. The front is then the one of the parent session, which is in the cache.
   */
  readonly hides: boolean;
}
