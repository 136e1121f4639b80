// Names that the `agent` tool, the session and its log share for subagents.

/** Name of the tool that starts a subagent. */
export const AGENT = 'agent';

/** A task for a subagent. */
export interface SubagentOrder {
  /** Complete text of the task. The subagent receives nothing else. */
  readonly task: string;
  /** Role of the subagent in this task, such as `reviewer`. */
  readonly role?: string;
  /** Name of the own agent that does the task. */
  readonly agent?: string;
  /** True if the subagent is only allowed to read, even if its parent is allowed to do more. */
  readonly readOnly?: boolean;
}

/** Role of a subagent if the task names no role. */
export const NO_ROLE = 'subagent';
