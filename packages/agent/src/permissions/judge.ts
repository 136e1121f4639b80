// Judges a call: first by the matrix of modes, then by the rules of the user. A rule may narrow any verdict. It may
// also allow a call for which the mode would ask the user. All functions are pure.

import type { EffectClass } from '@tidemark/log';
import type { Mode } from '../ports/permissions.ts';
import { couldBeCommand, isCommand } from '../rules/command-pattern.ts';
import { couldBeHost, couldBePath, isHost, isPath, matchStars } from '../rules/name-patterns.ts';
import type { ReadRule, RulePattern, RuleSet } from '../rules/rule.ts';
import type { CallEffects, RuledCall } from '../rules/ruled-call.ts';

/** Input of the permission matrix. */
export interface Permission {
  readonly mode: Mode;
  readonly effect: EffectClass;
  /** True if everything that the call changes is inside the workspace. */
  readonly confined: boolean;
  /**
   * True if the call changes only files that it names, and none from which agents take instructions or settings.
   * Default: false.
   */
  readonly edits?: boolean;
  /** True if the call runs in a sandbox. */
  readonly sandboxed: boolean;
  /** True if the user allows calls without a sandbox. */
  readonly allowUnsandboxed?: boolean;
  /** True if the call asks for access that its sandbox does not give, such as the network. */
  readonly beyond?: boolean;
}

/** Verdict on a call, and the name of the matrix cell or rule that gave it. */
export interface Verdict {
  readonly decision: 'allowed' | 'denied' | 'asks';
  /** Name such as `auto/write/outside`. It is recorded in `permission.decided`. */
  readonly rule: string;
}

/**
 * Matrix cell that depends on one condition. If the condition is met, the call is allowed. If not, the user is asked.
 * `met` and `unmet` are the last parts of the rule name.
 */
interface Fork {
  readonly if: 'confined' | 'edits' | 'sandboxed';
  readonly met: string;
  readonly unmet: string;
}

type MatrixCell = Verdict['decision'] | Fork;

type MatrixRow = Readonly<Record<EffectClass, MatrixCell>>;

const INSIDE: Fork = { if: 'confined', met: 'inside', unmet: 'outside' };

const EDITS: Fork = { if: 'edits', met: 'inside', unmet: 'protected' };

const SANDBOXED: Fork = { if: 'sandboxed', met: 'sandboxed', unmet: 'unsandboxed' };

const MATRIX: Readonly<Record<Mode, MatrixRow>> = {
  'read-only': { none: 'allowed', read: 'allowed', write: 'denied', execute: 'denied', network: 'denied' },
  ask: { none: 'allowed', read: 'allowed', write: 'asks', execute: 'asks', network: 'asks' },
  'accept-edits': { none: 'allowed', read: 'allowed', write: EDITS, execute: 'asks', network: 'asks' },
  auto: { none: 'allowed', read: 'allowed', write: INSIDE, execute: SANDBOXED, network: SANDBOXED },
};

/** Returns the verdict of the matrix on a call, with the name of the cell. */
export function judge(permission: Permission): Verdict {
  const { mode, effect } = permission;
  const cell = MATRIX[mode][effect];
  const rule = `${mode}/${effect}`;
  if (typeof cell === 'string') return { decision: cell, rule };
  if (cell === SANDBOXED && permission.sandboxed && permission.beyond === true)
    return { decision: 'asks', rule: `${rule}/beyond-sandbox` };
  if (cell === SANDBOXED && !permission.sandboxed && permission.allowUnsandboxed === true)
    return { decision: 'allowed', rule: `${rule}/allow-unsandboxed` };
  if (cell === EDITS && !permission.confined) return { decision: 'asks', rule: `${rule}/outside` };
  return permission[cell.if] === true
    ? { decision: 'allowed', rule: `${rule}/${cell.met}` }
    : { decision: 'asks', rule: `${rule}/${cell.unmet}` };
}

const WIDTH: Readonly<Record<Mode, number>> = { 'read-only': 0, ask: 1, 'accept-edits': 2, auto: 3 };

/**
 * Returns the mode that allows less. An option passed at opening can make the mode in the log narrower, but never
 * wider.
 */
export function narrower(a: Mode, b: Mode): Mode {
  return WIDTH[a] <= WIDTH[b] ? a : b;
}

/**
 * Returns the verdict after the user's rules. A denial by the mode remains. A rule that denies overrides a rule that
 * asks. A rule that asks overrides rules that allow. A call is allowed only if a rule allows its whole tool, or if
 * rules allow each of its commands, paths and hosts. A pattern never allows an unknown command. No rule allows a write
 * outside the workspace, or access outside the sandbox.
 */
export function judgeByRules(byMode: Verdict, rules: RuleSet, call: RuledCall): Verdict {
  if (byMode.decision === 'denied') return byMode;
  const about = rules.filter(({ tool }) => matchStars(tool, call.tool));
  const forbidding = forbid(about, 'deny', call) ?? forbid(about, 'ask', call);
  if (forbidding !== undefined) return forbidding;
  if (byMode.decision === 'allowed' || isOutside(call)) return byMode;
  const allowing = allow(
    about.filter(({ decision }) => decision === 'allow'),
    call,
  );
  return allowing === undefined ? byMode : { decision: 'allowed', rule: allowing };
}

function isOutside({ effect, confined, effects }: RuledCall): boolean {
  return (effect === 'write' && !confined) || (effects?.beyond ?? []).length > 0;
}

function forbid(rules: RuleSet, decision: 'deny' | 'ask', { effects }: RuledCall): Verdict | undefined {
  for (const rule of rules) {
    if (rule.decision !== decision) continue;
    const found = rule.patterns?.find((pattern) => couldMatch(pattern, effects));
    if (rule.patterns !== undefined && found === undefined) continue;
    return { decision: decision === 'deny' ? 'denied' : 'asks', rule: nameOf(rule, found) };
  }
  return undefined;
}

function couldMatch({ kind, pattern }: RulePattern, effects: CallEffects = {}): boolean {
  switch (kind) {
    case 'commands':
      return effects.commands?.possible.some((command) => couldBeCommand(pattern, command)) ?? true;
    case 'paths':
      return effects.paths?.some((path) => couldBePath(pattern, path)) ?? true;
    case 'hosts':
      return effects.hosts?.some((host) => couldBeHost(pattern, host)) ?? true;
  }
}

/**
 * Returns the name of the rule that allows the whole tool. If there is no such rule, returns the joined names of the
 * rules that together allow each part of the call. Returns `undefined` if a part of the call is not allowed.
 */
function allow(rules: RuleSet, { effects }: RuledCall): string | undefined {
  const whole = rules.find(({ patterns }) => patterns === undefined);
  if (whole !== undefined) return nameOf(whole, undefined);
  const names = effects === undefined ? [] : thingsOf(effects).map((isNamedBy) => nameOfFirst(rules, isNamedBy));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return [...new Set(names)].join(' + ');
}

type NamedByPattern = (pattern: RulePattern) => boolean;

/**
 * Returns one test for each command, path and host of a call. The test returns true if a pattern matches. If the
 * command is unknown, the test always returns false.
 */
function thingsOf({ commands, paths = [], hosts = [] }: CallEffects): readonly NamedByPattern[] {
  return [
    ...(commands === undefined ? [] : commandsOf(commands)),
    ...paths.map(
      (path): NamedByPattern =>
        (one) =>
          one.kind === 'paths' && isPath(one.pattern, path),
    ),
    ...hosts.map(
      (host): NamedByPattern =>
        (one) =>
          one.kind === 'hosts' && isHost(one.pattern, host),
    ),
  ];
}

function commandsOf({ plain }: NonNullable<CallEffects['commands']>): readonly NamedByPattern[] {
  if (plain === undefined) return [() => false];
  return plain.map(
    (command): NamedByPattern =>
      (one) =>
        one.kind === 'commands' && isCommand(one.pattern, command),
  );
}

function nameOfFirst(rules: RuleSet, isNamedBy: NamedByPattern): string | undefined {
  for (const rule of rules) {
    const found = rule.patterns?.find(isNamedBy);
    if (found !== undefined) return nameOf(rule, found);
  }
  return undefined;
}

/**
 * Returns the name of a rule, such as `deny bash "git push"`. The name is recorded in `permission.decided` and sent to
 * the model.
 */
function nameOf({ decision, tool }: ReadRule, pattern: RulePattern | undefined): string {
  return pattern === undefined ? `${decision} ${tool}` : `${decision} ${tool} "${pattern.text}"`;
}
