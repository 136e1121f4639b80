// Skills that the user asks for with a prompt: each body is a note in front of the prompt it belongs to. The budget does not
// refuse a person; it is told.

import type { Event, Timestamp, TurnId } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import { skillsInContext } from '../session/skills-in-context.ts';
import type { LoadVerdict } from '../skills/judge-load.ts';
import { judgeLoad, skillTokens } from '../skills/judge-load.ts';
import type { Skill, SkillShelf, SkillsInContext } from '../skills/skill-shelf.ts';
import { SKILL_BUDGET } from '../skills/skill-shelf.ts';
import { nearestName } from '../tools/nearest-name.ts';
import type { Notice } from './session-event.ts';
import type { TurnContext } from './turn-context.ts';

/** The skills of these names. @throws AgentError `agent/unknown-skill`. */
export function findSkills(shelf: SkillShelf | undefined, names: readonly string[]): readonly Skill[] {
  return [...new Set(names)].map((name) => {
    const found = shelf?.find(name);
    if (found !== undefined) return found;
    const nearest = nearestName(name, shelf?.names ?? []);
    const next =
      nearest === undefined ? '`tidemark skills` lists those that are installed' : `did you mean ${nearest}?`;
    throw new AgentError('agent/unknown-skill', `there is no skill ${name}: ${next}`, { skill: name });
  });
}

/** What comes of asking for some. */
export interface BroughtSkills {
  /** Their bodies and loads, in front of the prompt. What stands before the model already is not said again. */
  readonly events: readonly Event[];
  /** What the user is told. */
  readonly notices: readonly Notice[];
}

/** See the head of this file. `preloaded`: names of those that the front to be opened will hold. */
export function bringSkills(
  { session, runtime }: Pick<TurnContext, 'session' | 'runtime'>,
  skills: readonly Skill[],
  preloaded: readonly string[],
  stamp: { readonly at: Timestamp; readonly turn: TurnId },
): BroughtSkills {
  const budget = runtime.skills?.budget ?? SKILL_BUDGET;
  const inContext = skillsInContext(session);
  let held: SkillsInContext = { ...inContext, preloaded: [...inContext.preloaded, ...preloaded] };
  const notices: Notice[] = [];
  const events = skills.flatMap((skill): readonly Event[] => {
    const { name, version, source, body } = skill;
    const verdict = judgeLoad(skill, held, budget);
    const notice = noticeOf(skill, verdict);
    if (notice !== undefined) notices.push(notice);
    if (verdict.do === 'point') return [];
    const tokens = skillTokens(skill);
    held = { ...held, loaded: [...held.loaded, { name, version, tokens }] };
    return [
      { kind: 'context.noted', ...stamp, data: { source: `skill:${name}`, revision: version, cause: 'initial', body } },
      { kind: 'skill.loaded', ...stamp, data: { name, version, reason: 'on_demand', tokens, source } },
    ];
  });
  return { events, notices };
}

function noticeOf({ name }: Skill, verdict: LoadVerdict): Notice | undefined {
  switch (verdict.do) {
    case 'point':
      return {
        code: 'skill/already-there',
        message: `the skill ${name} stands in the context already: it was not loaded again`,
        next: 'Nothing is to be done.',
      };
    case 'refuse':
      return {
        code: 'skill/over-budget',
        message: `${verdict.why} It was loaded all the same, since you asked for it`,
        next: 'The model loads no further one until a compaction has dropped what is loaded.',
      };
    case 'load':
      return verdict.warning === undefined
        ? undefined
        : { code: 'skill/near-budget', message: verdict.warning, next: 'A compaction frees what it drops.' };
  }
}
