// The port of installed skills: what there is, and what a session may have loaded. Where they
// come from and how they are written is the business of whoever implements it.

import type { Preload } from '@tidemark/context';
import { estimateTokens } from '@tidemark/context';

/** An installed practice. */
export interface Skill {
  readonly name: string;
  /** Names the bytes of its SKILL.md. */
  readonly version: string;
  /** Where it was found: `workspace`, `home`, `config`. */
  readonly source: string;
  /** What the model reads, whole or not at all. */
  readonly body: string;
}

/** The installed skills, as of the last scan. The owner of the shelf scans again. */
export interface SkillShelf {
  /** Bodies that may stand in the padding of a front. None of them is of the workspace. */
  readonly preloads: readonly Preload[];
  readonly budget: SkillBudget;
  find(name: string): Skill | undefined;
  /** All names, in order. */
  readonly names: readonly string[];
}

/** What the bodies that stand in the context may come to. Preloaded ones are none of them. */
export interface SkillBudget {
  /** Distinct skills. */
  readonly skills: number;
  /** Tokens, estimated: from here on the model is warned. */
  readonly warning: number;
  /** Tokens, estimated: what would come above is refused. */
  readonly most: number;
}

/** Three skills, a warning from 10,000 tokens on, 30,000 at most. */
export const SKILL_BUDGET: SkillBudget = { skills: 3, warning: 10_000, most: 30_000 };

/** A body that was brought into the tail. */
export interface LoadedSkill {
  readonly name: string;
  readonly version: string;
  readonly tokens: number;
}

/** What of the skills stands before the model now, as the log says. */
export interface SkillsInContext {
  /** Names of those whose bodies stand in the front. */
  readonly preloaded: readonly string[];
  /** Bodies in the tail, the oldest first. What a compaction dropped is not among them. */
  readonly loaded: readonly LoadedSkill[];
}

// Whether a body is brought into the context: a pointer where it stands there already, else the budget, else the body. One
// order for the model's call and for the user, who is told what the model is refused.

/** What comes of asking for a skill. */
export type LoadVerdict =
  /** It stands in the front, or in the tail in this version: nothing is loaded. */
  | { readonly do: 'point'; readonly at: 'already_preloaded' | 'already_loaded' }
  | { readonly do: 'refuse'; readonly why: string }
  | { readonly do: 'load'; readonly tokens: number; readonly warning?: string };

/** Judges. Tokens are estimates. */
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
      ? `${names.size === 1 ? '1 skill is' : `${names.size} skills are`} loaded, of ${budget.skills} that a session may hold`
      : total > budget.most
        ? `with its ${grouped(tokens)} tokens the loaded skills would come to ${grouped(total)}, above ${grouped(budget.most)}`
        : undefined;
  if (spent !== undefined) return { do: 'refuse', why: `${skill.name} does not fit: ${spent}. ${loadedIn(loaded)}` };
  return total < budget.warning
    ? { do: 'load', tokens }
    : {
        do: 'load',
        tokens,
        warning: `the loaded skills now come to ${grouped(total)} tokens of ${grouped(budget.most)}; load a further one only where the task needs it`,
      };
}

/** What a body adds to the context, estimated. */
export function skillTokens({ body }: Skill): number {
  return estimateTokens(body);
}

function loadedIn(loaded: readonly LoadedSkill[]): string {
  const held = loaded.map(({ name, tokens }) => `${name} (${grouped(tokens)} tokens)`).join(', ');
  return held === '' ? 'None is loaded.' : `Loaded: ${held}.`;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
