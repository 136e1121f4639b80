// What the user allows, forbids or wants to be asked, beyond the mode.

import type { CommandPattern } from './command-pattern.ts';
import type { HostPattern, PathPattern } from './name-patterns.ts';
import type { EffectKind } from './ruled-call.ts';

/**
 * A rule as its author writes it. `deny` beats `ask`, and `ask` beats `allow`, in whatever order they stand; none widens mode
 * `read-only`. At most one of `commands`, `paths`, `hosts`; without any it is about every call of the tool.
 */
export interface Rule {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** A tool by its name; `server__*` for all of an MCP server; to ask or deny, `*` may stand anywhere. */
  readonly tool: string;
  /** `npm test` is that command alone, `git status *` with any further words. To ask or deny, further words are always meant. */
  readonly commands?: readonly string[];
  /** From the workspace on: `src/**`, `docs/*.md`; without a slash a name in any folder. */
  readonly paths?: readonly string[];
  /** `example.com`, `*.example.com`. */
  readonly hosts?: readonly string[];
}

/** A rule that was read. */
export interface ReadRule {
  readonly decision: Rule['decision'];
  readonly tool: string;
  /** Absent: about every call. */
  readonly patterns?: readonly RulePattern[];
}

/** One pattern of a rule, as its author wrote it and as it was read. */
export type RulePattern = { readonly text: string } & (
  | { readonly kind: Extract<EffectKind, 'commands'>; readonly pattern: CommandPattern }
  | { readonly kind: Extract<EffectKind, 'paths'>; readonly pattern: PathPattern }
  | { readonly kind: Extract<EffectKind, 'hosts'>; readonly pattern: HostPattern }
);

/** Rules that were read: the only ones that decide. */
export type RuleSet = readonly ReadRule[];

/** What is wrong with rules, one line each, with the next step. */
export interface RuleProblems {
  readonly problems: readonly string[];
}
