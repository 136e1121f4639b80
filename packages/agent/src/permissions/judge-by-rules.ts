// What the rules make of a call that the mode has judged: they may narrow any verdict, and answer for the person where the
// mode would ask. Pure.

import { couldBeCommand, isCommand } from '../rules/command-pattern.ts';
import { couldBeHost, couldBePath, isHost, isPath, matchStars } from '../rules/name-patterns.ts';
import type { ReadRule, RulePattern, RuleSet } from '../rules/rule.ts';
import type { Acts, RuledCall } from '../rules/ruled-call.ts';
import type { Verdict } from './judge-by-mode.ts';

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

function forbid(rules: RuleSet, decision: 'deny' | 'ask', { acts }: RuledCall): Verdict | undefined {
  for (const rule of rules) {
    if (rule.decision !== decision) continue;
    const found = rule.patterns?.find((pattern) => couldMatch(pattern, acts));
    if (rule.patterns !== undefined && found === undefined) continue;
    return { decision: decision === 'deny' ? 'denied' : 'asks', rule: nameOf(rule, found) };
  }
  return undefined;
}

function couldMatch({ kind, pattern }: RulePattern, acts: Acts = {}): boolean {
  switch (kind) {
    case 'commands':
      return acts.commands?.possible.some((command) => couldBeCommand(pattern, command)) ?? true;
    case 'paths':
      return acts.paths?.some((path) => couldBePath(pattern, path)) ?? true;
    case 'hosts':
      return acts.hosts?.some((host) => couldBeHost(pattern, host)) ?? true;
  }
}

/** The rules that allow the call between them, by name; `undefined` where something of it is left. */
function allow(rules: RuleSet, { acts }: RuledCall): string | undefined {
  const whole = rules.find(({ patterns }) => patterns === undefined);
  if (whole !== undefined) return nameOf(whole, undefined);
  const names = acts === undefined ? [] : thingsOf(acts).map((isNamedBy) => nameOfFirst(rules, isNamedBy));
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return [...new Set(names)].join(' + ');
}

type NamedByPattern = (pattern: RulePattern) => boolean;

/** Each thing that a call does, as the question whether a pattern names it. What cannot be known is named by none. */
function thingsOf({ commands, paths = [], hosts = [], beyond = [] }: Acts): readonly NamedByPattern[] {
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

function commandsOf({ plain }: NonNullable<Acts['commands']>): readonly NamedByPattern[] {
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
