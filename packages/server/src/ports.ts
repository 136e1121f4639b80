// Ports of the server: the sessions that it can open, and what it needs to know about the program around it.

import type { AgentForkOptions, AgentSession, Asker, Mode } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

/** A session that is open in this process. `close` ends its running turn and frees its lock. */
export interface OpenedSession {
  readonly session: AgentSession;
  close(): Promise<void>;
}

/** Choices for a new session. Absent choices come from the settings. */
export interface NewSession {
  /** Absolute path of the folder in which the agent works. Default: the folder of the server. */
  readonly folder?: string;
  readonly title?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly mode?: Mode;
  /** Name of an own agent. */
  readonly agent?: string;
}

/** Opens sessions. Each opened session has its own agent, so each question belongs to one session. */
export interface SessionOpener {
  /**
   * Creates a session.
   *
   * @throws ServerError `server/folder-refused` for a folder that the server does not serve.
   */
  create(choices: NewSession, ask: Asker): Promise<OpenedSession>;
  /** @throws LogError `log/missing`; `log/locked` if another process has the session open. */
  open(id: SessionId, ask: Asker): Promise<OpenedSession>;
  /** Opens a fork of a session, which may be open in any process. */
  fork(id: SessionId, options: AgentForkOptions, ask: Asker): Promise<OpenedSession>;
}
