// What a subagent is asked for: the names that the tool, the session and its log share.

/** The name of the tool. */
export const AGENT = 'agent';

/** A piece of work for a subagent. */
export interface SubagentOrder {
  /** All that it is told. */
  readonly task: string;
  /** What it is in this work: `reviewer`. */
  readonly role?: string;
  /** It may look, and nothing else, whatever its parent may. */
  readonly readOnly?: boolean;
}

/** The role of a subagent that was given none. */
export const NO_ROLE = 'subagent';
