// Ports of the server: the sessions that it can open, and what it needs to know about the program around it.

import type { AgentForkOptions, AgentSession, Asker, ForkPlan, Mode } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

/** A session that is open in this process. `close` ends its running turn and frees its lock. */
export interface OpenedSession {
  readonly session: AgentSession;
  /** Model of its next request. The log contains it after the first request only. */
  readonly model?: ChosenModel;
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

/** A model and its provider. */
export interface ChosenModel {
  readonly model: string;
  /** Name of the provider. Default: the provider that serves a model of this name. */
  readonly provider?: string;
}

/** Knowledge about models that the server does not have itself. */
export interface ModelNames {
  /**
   * Returns the model that a client names for a session. A family such as `opus` selects its newest model.
   *
   * @throws TidemarkError for a provider that does not exist.
   */
  resolve(session: SessionId, named: ChosenModel): Promise<ChosenModel>;
  /** Returns the values of the effort of a model. Empty if it has no effort, `undefined` if they are unknown. */
  efforts(model: ChosenModel): Promise<readonly string[] | undefined>;
}

/** A file that tools changed, and whether it can be restored. */
export interface ChangedFileState {
  /** Absolute path, as recorded. */
  readonly path: string;
  /** `restorable`; or `changed`, `not-kept` or `refused` with a reason. */
  readonly state: 'restorable' | 'changed' | 'not-kept' | 'refused';
  /** Reason for a person if the file cannot be restored. Empty for `restorable`. */
  readonly reason: string;
  /** True if restoring deletes the file, because a tool created it. */
  readonly deletes: boolean;
}

/** Changes of the records that a fork omits. */
export interface RestorableChanges {
  readonly files: readonly ChangedFileState[];
  /** Calls that may have changed more files, such as commands. Their changes cannot be restored. */
  readonly calls: readonly { readonly session: SessionId; readonly tool: string; readonly title: string }[];
  /** Returns the difference that restoring a file would make, as a unified diff. */
  diff(path: string): Promise<string>;
  /**
   * Restores a file. The file is checked again first. A change that something else made is never overwritten.
   *
   * @throws TidemarkError if the file cannot be restored. The file is then unchanged.
   */
  restore(path: string): Promise<void>;
}

/** Finds and restores the files that tools changed in the records that a planned fork omits. */
export type FileRestorer = (plan: ForkPlan, signal: AbortSignal) => Promise<RestorableChanges>;

/** Opens sessions. Each opened session has its own agent, so each question belongs to one session. */
export interface SessionOpener {
  /** Default: names are used as they are, and every effort is accepted. */
  readonly models?: ModelNames;
  /** Default: the sessions have no files. */
  readonly restorer?: FileRestorer;
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
