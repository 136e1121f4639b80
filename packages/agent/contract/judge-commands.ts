// Test helper for tools that read command lines: applies one permission rule to a command.

import { judgeByRules } from '../src/permissions/judge.ts';
import { readRules } from '../src/permissions/read-rules.ts';
import type { CommandEffects } from '../src/rules/ruled-call.ts';

/**
 * Judges a `bash` call with the given effects by one permission rule. The rule consists of `decision` and `command`.
 * Without the rule, the permission mode would ask. Returns the resulting decision.
 *
 * @throws Error for an invalid rule.
 */
export function judgeCommands(decision: 'allow' | 'ask' | 'deny', command: string, effects: CommandEffects): string {
  const rules = readRules(
    [{ decision, tool: 'bash', commands: [command] }],
    [{ name: 'bash', effectKinds: ['commands'] }],
  );
  if ('problems' in rules) throw new Error(rules.problems.join('; '));
  const call = { tool: 'bash', effect: 'execute', confined: true, effects: { commands: effects } } as const;
  return judgeByRules({ decision: 'asks', rule: 'ask/execute' }, rules, call).decision;
}
