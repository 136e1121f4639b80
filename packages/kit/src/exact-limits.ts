// Converts the limits of `AgentOptions` to the form of the runtime. In this form, a cost is an exact decimal text.

import type { SubagentLimits, TurnLimits } from '@tidemark/agent';
import { defined } from '@tidemark/core';
import type { AgentLimits, SubagentOptions } from './agent-options.ts';

/** Returns limits in the form of the runtime, with the cost as exact decimal text. */
export function limitsOf({ maxSteps, maxDurationMs, maxCost, maxTokens }: AgentLimits): TurnLimits {
  return defined({ steps: maxSteps, ms: maxDurationMs, cost: exactCost(maxCost), tokens: maxTokens });
}

/** Returns the limits of subagents in the form of the runtime. */
export function subagentLimitsOf({ parallel, total, depth, ...limits }: SubagentOptions): SubagentLimits {
  return { ...limitsOf(limits), ...defined({ parallel, total, depth }) };
}

/** Returns a cost as exact decimal text. */
export function exactCost(cost: string | number | undefined): string | undefined {
  return typeof cost === 'number' ? decimalText(cost) : cost;
}

/** Returns the shortest decimal form of a number without an exponent: `0.0000001`. The number must not be negative. */
function decimalText(value: number): string {
  const [digits = '', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(exponent);
  return shift < 0
    ? `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
    : `${whole}${fraction}${'0'.repeat(shift - fraction.length)}`;
}
