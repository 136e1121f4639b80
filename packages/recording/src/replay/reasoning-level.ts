// Reasoning levels of recordings as render parameters. What counts here is that another level is another parameter, so
// that a change of it is a break as it was in the recording.

import type { RenderParameters } from '@tidemark/log';

/** Names the parameters of a level, for a model with this output limit. No two levels have the same. */
export type Levels = (level: string | undefined, outputLimit: number) => RenderParameters;

/** Budgets in tokens of the usual names. A name that is a number is the budget itself, as some recordings have it. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1_024],
  ['low', 2_048],
  ['medium', 4_096],
  ['high', 8_192],
  ['xhigh', 16_384],
  ['max', 18_432],
]);
const USUAL = 12_288;
const LEAST = 1_024;

/** Names of no reasoning. */
const NONE: ReadonlySet<string> = new Set(['off', 'none', '0']);

/** Levels of one recording. */
export function createLevels(): Levels {
  const given = new Map<number, Map<number, string>>();
  return (level, outputLimit) => {
    if (level === undefined || NONE.has(level)) return {};
    const taken = given.get(outputLimit) ?? new Map<number, string>();
    given.set(outputLimit, taken);
    const budget = freeBudget(level, outputLimit - 1, taken);
    taken.set(budget, level);
    return { thinking: { type: 'enabled', budget_tokens: budget } };
  };
}

/** The budget asked for, or the next smaller one that no other level has. */
function freeBudget(level: string, most: number, taken: ReadonlyMap<number, string>): number {
  const asked = Math.round(BUDGETS.get(level) ?? (Number.isFinite(Number(level)) ? Number(level) : USUAL));
  let budget = Math.min(Math.max(asked, LEAST), most);
  while ((taken.get(budget) ?? level) !== level) budget = budget > LEAST ? budget - 1 : most;
  return budget;
}
