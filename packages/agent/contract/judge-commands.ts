// Rules on commands for the tests of tools that read command lines.

import { judgeByRules } from '../src/permissions/judge.ts';
import { readRules } from '../src/permissions/read-rules.ts';
import type { CommandEffects } from '../src/rules/ruled-call.ts';

/** Returns the decision of one rule about a call of a shell that runs these commands, where the mode would ask. @throws Error for a rule that is refused. */
export function judgeCommands(decision: 'allow' | 'ask' | 'deny', command: string, effects: CommandEffects): string {
  const rules = readRules(
    [{ decision, tool: 'bash', commands: [command] }],
    [{ name: 'bash', effectKinds: ['commands'] }],
  );
  if ('problems' in rules) throw new Error(rules.problems.join('; '));
  const call = { tool: 'bash', effect: 'execute', confined: true, effects: { commands: effects } } as const;
  return judgeByRules({ decision: 'asks', rule: 'ask/execute' }, rules, call).decision;
}
