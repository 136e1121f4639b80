// Verdicts on a call: by the matrix of modes, then by the rules of the user, which may narrow any verdict and answer for the person
// where the mode would ask. Pure.

import type { EffectClass } from '@tidemark/log';
import type { Mode } from '../ports/permissions.ts';
import { couldBeCommand, isCommand } from '../rules/command-pattern.ts';
import { couldBeHost, couldBePath, isHost, isPath, matchStars } from '../rules/name-patterns.ts';
import type { ReadRule, RulePattern, RuleSet } from '../rules/rule.ts';
import type { CallEffects, RuledCall } from '../rules/ruled-call.ts';

/** What the matrix is asked. */
export interface Permission {
  readonly mode: Mode;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** What is executed runs in a sandbox, or the user has said that it need not. */
  readonly sandboxed: boolean;
  /** The call asks for more than its sandbox gives. */
  readonly beyond?: boolean;
}

/** A verdict, and the cell of the matrix that gave it. */
export interface Verdict {
  readonly decision: 'allowed' | 'denied' | 'asks';
  /** `auto/write/outside`: kept in `permission.decided`. */
  readonly rule: string;
}

/** A cell that depends on one thing more: what the rule is then called, and what it says. */
interface Fork {
  readonly if: 'confined' | 'sandboxed';
  readonly met: string;
  readonly unmet: string;
}

type MatrixCell = Verdict['decision'] | Fork;

type MatrixRow = Readonly<Record<EffectClass, MatrixCell>>;

/** Allowed where the condition holds, else a person is asked. */
const INSIDE: Fork = { if: 'confined', met: 'inside', unmet: 'outside' };

const SANDBOXED: Fork = { if: 'sandboxed', met: 'sandboxed', unmet: 'unsandboxed' };

const MATRIX: Readonly<Record<Mode, MatrixRow>> = {
  'read-only': { none: 'allowed', read: 'allowed', write: 'denied', execute: 'denied', network: 'denied' },
  ask: { none: 'allowed', read: 'allowed', write: 'asks', execute: 'asks', network: 'asks' },
  auto: { none: 'allowed', read: 'allowed', write: INSIDE, execute: SANDBOXED, network: SANDBOXED },
};

/** What the matrix says of a call, and by which of its cells. */
export function judge(permission: Permission): Verdict {
  const { mode, effect } = permission;
  const cell = MATRIX[mode][effect];
  const rule = `${mode}/${effect}`;
  if (typeof cell === 'string') return { decision: cell, rule };
  if (cell === SANDBOXED && permission.sandboxed && permission.beyond === true)
    return { decision: 'asks', rule: `${rule}/beyond-sandbox` };
  return permission[cell.if]
    ? { decision: 'allowed', rule: `${rule}/${cell.met}` }
    : { decision: 'asks', rule: `${rule}/${cell.unmet}` };
}

const WIDTH: Readonly<Record<Mode, number>> = { 'read-only': 0, ask: 1, auto: 2 };

/** The mode that allows less: a flag may narrow what the log restores, never widen it. */
export function narrower(a: Mode, b: Mode): Mode {
  return WIDTH[a] <= WIDTH[b] ? a : b;
}

/**
 * The verdict under the rules: what the mode denies stays denied; a rule that denies beats one that asks, and that one beats
 * any that allow. Allowed is a call only where each thing it does is, and nothing about it is unknown; no rule allows a write
 * outside the workspace.
 */
export function judgeByRules(byMode: Verdict, rules: RuleSet, call: RuledCall): Verdict {
  if (byMode.decision === 'denied') return byMode;
  const about = rules.filter(({ tool }) => matchStars(tool, call.tool));
  const forbidding = forbid(about, 'deny', call) ?? forbid(about, 'ask', call);
  if (forbidding !== undefined) return forbidding;
  if (byMode.decision === 'allowed' || (call.effect === 'write' && !call.confined)) return byMode;
  const allowing = allow(
    about.filter(({ decision }) => decision === 'allow'),
    call,
  );
  return allowing === undefined ? byMode : { decision: 'allowed', rule: allowing };
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

/** The rules that allow the call between them, by name; `undefined` where something of it is left. */
function allow(rules: RuleSet, { effects }: RuledCall): string | undefined {
  const whole = rules.find(({ patterns }) => patterns === undefined);
  if (whole !== undefined) return nameOf(whole, undefined);
  const names = effects === undefined ? [] : thingsOf(effects).map((isNamedBy) => nameOfFirst(rules, isNamedBy));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return [...new Set(names)].join(' + ');
}

type NamedByPattern = (pattern: RulePattern) => boolean;

/** Each thing that a call does, as the question whether a pattern names it. What cannot be known is named by none. */
function thingsOf({ commands, paths = [], hosts = [], beyond = [] }: CallEffects): readonly NamedByPattern[] {
  return [
    ...beyond.map((): NamedByPattern => () => false),
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

/** `deny bash "git push"`: what `permission.decided` keeps, and the model is told. */
function nameOf({ decision, tool }: ReadRule, pattern: RulePattern | undefined): string {
  return pattern === undefined ? `${decision} ${tool}` : `${decision} ${tool} "${pattern.text}"`;
}
