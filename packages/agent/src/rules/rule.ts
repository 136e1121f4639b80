// Permission rules of the user, in addition to the mode. A rule allows calls, denies them, or asks the user.

import type { CommandPattern } from './command-pattern.ts';
import type { HostPattern, PathPattern } from './name-patterns.ts';
import type { EffectKind } from './ruled-call.ts';

/**
 * A rule as its author writes it. `deny` overrides `ask`, and `ask` overrides `allow`, in any order. In mode
 * `read-only` no rule allows more than the mode. A rule contains at most one of `commands`, `paths` and `hosts`. A rule
 * without these fields applies to every call of the tool.
 */
export interface Rule {
  readonly decision: 'allow' | 'ask' | 'deny';
  /**
   * Name of a tool, or `server__*` for all tools of an MCP server. In a rule that asks or denies, `*` may be anywhere
   * in the name.
   */
  readonly tool: string;
  /**
   * Command patterns. `npm test` matches only this command, and `git status *` also matches any further words. In a
   * rule that asks or denies, further words always match.
   */
  readonly commands?: readonly string[];
  /**
   * Path patterns relative to the workspace: `src/**`, `docs/*.{md,txt}`. A pattern without a slash matches a name in
   * any folder. `*` and `?` also match names that begin with a dot.
   */
  readonly paths?: readonly string[];
  /**
   * Host patterns. `example.com` matches this host. In a rule that asks or denies, it also matches the subdomains.
   * `*.example.com` matches the subdomains.
   */
  readonly hosts?: readonly string[];
}

export interface ReadRule {
  readonly decision: Rule['decision'];
  readonly tool: string;
  /** Patterns of the rule. Absent if the rule applies to every call. */
  readonly patterns?: readonly RulePattern[];
}

/** One pattern of a rule: its original text and its parsed form. */
export type RulePattern = { readonly text: string } & (
  | { readonly kind: Extract<EffectKind, 'commands'>; readonly pattern: CommandPattern }
  | { readonly kind: Extract<EffectKind, 'paths'>; readonly pattern: PathPattern }
  | { readonly kind: Extract<EffectKind, 'hosts'>; readonly pattern: HostPattern }
);

/** Parsed rules, the only form in which rules are applied. */
export type RuleSet = readonly ReadRule[];

/** Problems in rules. Each problem is one line with the next action. */
export interface RuleProblems {
  readonly problems: readonly string[];
}
