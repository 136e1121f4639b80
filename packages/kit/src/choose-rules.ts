// The rules of an agent, read against its tools: one that cannot be understood stops here.

import type { Rule, RuledTool, RuleSet, Tool } from '@tidemark/agent';
import { readRules } from '@tidemark/agent';
import { KitError } from './kit-error.ts';

/** Tools that an agent may have or not: a rule on one that is not there is no slip, and waits. */
const SOMETIMES: readonly RuledTool[] = ['memory_update', 'plan', 'skill_search', 'skill_load', 'agent'].map(
  (name) => ({
    name,
  }),
);

/** @throws KitError `kit/bad-options`, naming each rule that is wrong and what to write instead. */
export function chooseRules(rules: readonly Rule[], tools: readonly Tool[]): RuleSet {
  const read = readRules(rules, [
    ...tools,
    ...SOMETIMES.filter(({ name }) => tools.every((tool) => tool.name !== name)),
  ]);
  if (!('problems' in read)) return read;
  const problems = read.problems.map((problem) => `permissions.${problem}`);
  throw new KitError('kit/bad-options', `createAgent cannot use these options: ${problems.join('; ')}`, { problems });
}
