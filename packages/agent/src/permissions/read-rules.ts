// Reads and checks the rules of the user. If any part of a rule is not understood, the rule is refused. No rule can
// therefore allow or deny more or less than its text states.

import { nearestName } from '../nearest-name.ts';
import type { Tool } from '../ports/tool.ts';
import { openGitProblem, readCommandPattern } from '../rules/command-pattern.ts';
import { matchStars, readHostPattern, readPathPatterns } from '../rules/name-patterns.ts';
import type { ReadRule, Rule, RulePattern, RuleProblems, RuleSet } from '../rules/rule.ts';
import type { EffectKind } from '../rules/ruled-call.ts';

/** Properties of a tool that rules are checked against. */
export type RuledTool = Pick<Tool, 'name' | 'effectKinds'>;

const DECISIONS: readonly Rule['decision'][] = ['allow', 'ask', 'deny'];
const KINDS: readonly EffectKind[] = ['commands', 'paths', 'hosts'];
const NAMES: readonly string[] = ['decision', 'tool', ...KINDS];
const TOOL = /^[\w*-]{1,64}$/;

/**
 * Returns the checked rules, or the problems of all invalid rules. A tool name must be the name of an existing tool. A
 * name that contains `__` is not checked, because it belongs to an MCP server, which may connect later. Pure.
 */
export function readRules(given: readonly unknown[], tools: readonly RuledTool[]): RuleSet | RuleProblems {
  const read = given.map((rule, index) => ({ place: `rules[${index}]`, rule: readRule(rule, tools) }));
  const problems = read.flatMap(({ place, rule }) => ('problem' in rule ? [`${place}: ${rule.problem}`] : []));
  if (problems.length > 0) return { problems };
  return read.flatMap(({ rule }) => ('problem' in rule ? [] : [rule]));
}

interface RuleProblem {
  readonly problem: string;
}

function readRule(given: unknown, tools: readonly RuledTool[]): ReadRule | RuleProblem {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problem: 'expected an object: { decision, tool }' };
  const fields: Readonly<Record<string, unknown>> = { ...given };
  const unknown = Object.keys(fields).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) return { problem: `a rule has no field ${unknown}${hint(unknown, NAMES)}` };
  const decision = DECISIONS.find((one) => one === fields['decision']);
  if (decision === undefined)
    return { problem: `decision must be one of ${DECISIONS.join(', ')}${hint(String(fields['decision']), DECISIONS)}` };
  const { tool } = fields;
  if (typeof tool !== 'string' || !TOOL.test(tool)) return { problem: 'tool must be the name of a tool' };
  const kinds = KINDS.filter((kind) => fields[kind] !== undefined);
  if (kinds.length > 1) return { problem: `a rule cannot have ${kinds.join(' and ')}: write a rule for each` };
  const [kind] = kinds;
  const misfit = misfitOf({ decision, tool, kind }, tools);
  if (misfit !== undefined) return { problem: misfit };
  return kind === undefined ? { decision, tool } : readPatterns({ decision, tool }, kind, fields[kind]);
}

/** Parts of a rule that are checked against the tools before its patterns are read. */
interface Aim {
  readonly decision: Rule['decision'];
  readonly tool: string;
  readonly kind: EffectKind | undefined;
}

function misfitOf({ decision, tool, kind }: Aim, tools: readonly RuledTool[]): string | undefined {
  const isFar = tool.includes('__');
  const named = tools.filter(({ name }) => matchStars(tool, name));
  if (named.length === 0 && !isFar && !tool.includes('*')) {
    const names = tools.map(({ name }) => name);
    return `there is no tool ${tool}${hint(tool, names)}`;
  }
  if (decision === 'allow' && tool.includes('*') && !/^[\w-]*[A-Za-z0-9]__\*$/.test(tool))
    return `"${tool}" would allow tools that the rule does not name: use the name of one tool, or server__* for the tools of an MCP server`;
  if (kind !== undefined) return unreportedKind(tool, kind, named);
  const shell = named.find(({ effectKinds = [] }) => effectKinds.includes('commands'));
  if (decision !== 'allow' || shell === undefined) return undefined;
  return `the rule would allow every command of ${shell.name}: list the allowed ones in commands`;
}

function unreportedKind(tool: string, kind: EffectKind, named: readonly RuledTool[]): string | undefined {
  if (named.some(({ effectKinds = [] }) => effectKinds.includes(kind))) return undefined;
  const reported = [...new Set(named.flatMap(({ effectKinds = [] }) => effectKinds))];
  // A name without `*` can be a tool of the author, who can then add the missing effects to it.
  const own = named.length === 1 ? `add \`describeEffects.${kind}\` to the tool if it is your own, or ` : '';
  const next = reported.length === 0 ? `${own}remove ${kind} from the rule` : `use ${reported.join(' or ')}`;
  return `${tool} reports no ${kind}: ${next}`;
}

function readPatterns(rule: Omit<ReadRule, 'patterns'>, kind: EffectKind, given: unknown): ReadRule | RuleProblem {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [];
  if (texts.length === 0) return { problem: `${kind} must be a list of at least one string` };
  const patterns: RulePattern[] = [];
  for (const text of texts) {
    if (typeof text !== 'string') return { problem: `${kind} must be a list of strings` };
    const read = readPattern(kind, text, rule.decision);
    if (typeof read === 'string') return { problem: `${kind}: ${read}` };
    patterns.push(...read);
  }
  return { ...rule, patterns };
}

function readPattern(kind: EffectKind, text: string, decision: Rule['decision']): readonly RulePattern[] | string {
  switch (kind) {
    case 'commands': {
      const pattern = readCommandPattern(text, decision);
      if (typeof pattern === 'string') return pattern;
      const problem = decision === 'allow' ? openGitProblem(pattern) : undefined;
      return problem === undefined ? [{ kind, text, pattern }] : `"${text}" ${problem}`;
    }
    case 'paths': {
      const patterns = readPathPatterns(text);
      return typeof patterns === 'string' ? patterns : patterns.map((pattern) => ({ kind, text, pattern }));
    }
    case 'hosts': {
      const pattern = readHostPattern(text);
      return typeof pattern === 'string' ? pattern : [{ kind, text, pattern }];
    }
  }
}

function hint(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : `, did you mean ${nearest}?`;
}
