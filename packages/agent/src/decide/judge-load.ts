// Decides if the body of a skill is loaded into the context. A body that is already in the context is not loaded again,
// and the result only refers to it. Otherwise the budget decides. The same order applies to the model and to the user.
// If a load would exceed the budget, the model's request is refused. The user's request is accepted with a warning.

import type { LoadedSkill, Skill, SkillBudget, SkillsInContext } from '../ports/skill-shelf.ts';
import { estimateTokens } from '@tidemark/context';

/** Verdict on a request to load a skill. */
export type LoadVerdict =
  /** Nothing is loaded, because the body is already in the front, or the tail already contains this version of it. */
  | { readonly do: 'point'; readonly at: 'already_preloaded' | 'already_loaded' }
  | { readonly do: 'refuse'; readonly why: string }
  | { readonly do: 'load'; readonly tokens: number; readonly warning?: string };

/** Returns the verdict on a request to load a skill. The number of tokens in the verdict is estimated. */
export function judgeLoad(skill: Skill, { preloaded, loaded }: SkillsInContext, budget: SkillBudget): LoadVerdict {
  if (preloaded.includes(skill.name)) return { do: 'point', at: 'already_preloaded' };
  if (loaded.some(({ name, version }) => name === skill.name && version === skill.version))
    return { do: 'point', at: 'already_loaded' };
  const tokens = skillTokens(skill);
  const names = new Set(loaded.map(({ name }) => name));
  const held = loaded.reduce((sum, one) => sum + one.tokens, 0);
  const total = held + tokens;
  const spent =
    names.size >= budget.skills && !names.has(skill.name)
      ? `${names.size === 1 ? '1 skill is' : `${names.size} skills are`} loaded, and the maximum is ${budget.skills}`
      : total > budget.most
        ? `with its ${formatNumber(tokens)} tokens the loaded skills would have ${formatNumber(total)}, and the maximum is ${formatNumber(budget.most)}`
        : undefined;
  if (spent !== undefined) return { do: 'refuse', why: `${skill.name} does not fit: ${spent}. ${loadedIn(loaded)}` };
  return total < budget.warning
    ? { do: 'load', tokens }
    : {
        do: 'load',
        tokens,
        warning: `the loaded skills now have ${formatNumber(total)} of at most ${formatNumber(budget.most)} tokens; load another skill only if the task needs it`,
      };
}

/** Returns the estimated number of tokens that the body of a skill adds to the context. */
export function skillTokens({ body }: Skill): number {
  return estimateTokens(body);
}

function loadedIn(loaded: readonly LoadedSkill[]): string {
  const held = loaded.map(({ name, tokens }) => `${name} (${formatNumber(tokens)} tokens)`).join(', ');
  return held === '' ? 'No skill is loaded.' : `Loaded: ${held}.`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}
