// How a turn begins: with what somebody said, or by going on with one that was cut. What was left open before is recovered in
// the same append.

import { defined } from '@tidemark/core';
import type { ContentPart, Event, EventOf, Timestamp, TurnBegan, TurnId } from '@tidemark/log';
import { recover } from '../decide/next-move.ts';
import { lastingOf } from '../decide/warmth.ts';
import { AgentError } from '../errors.ts';
import { nearestName } from '../nearest-name.ts';
import type { Words } from '../ports/live-session.ts';
import type { Mode } from '../ports/permissions.ts';
import type { Notice } from '../ports/session-event.ts';
import type { Skill, SkillShelf, SkillsInContext } from '../ports/skill-shelf.ts';
import type { LoadVerdict } from '../decide/judge-load.ts';
import { SKILL_BUDGET } from '../ports/skill-shelf.ts';
import { judgeLoad, skillTokens } from '../decide/judge-load.ts';
import { frontFor } from '../request/what-changes.ts';
import { keepGiven } from '../session/keep-images.ts';
import { asIfRecorded, commit, commitInside, skillsInContext } from '../session/session.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { askSources } from '../sources/ask-sources.ts';
import { settleSubagents } from '../subagent/ending.ts';
import type { StepContext } from './prepare-step.ts';
import { refreshTools } from './refresh-tools.ts';

/** What a turn begins with. */
export type TurnBeginning = (Prompt<Exclude<Words, string>> | { readonly with: 'resume' }) & {
  /** Default: the user. */
  readonly trigger?: TurnBegan['trigger'];
};

interface Prompt<Parts> {
  readonly with: 'prompt';
  readonly parts: Parts;
  /** The client that sent it: stored in the log as `presenter`. */
  readonly client: string;
  readonly skills?: readonly Skill[];
  readonly trigger?: TurnBegan['trigger'];
}

/** Begins; when this returns the turn is open in the log. */
export async function beginTurn(work: StepContext, beginning: TurnBeginning, mode: Mode): Promise<void> {
  await settleMode(work, mode);
  await settleLeft(work, beginning);
  if (beginning.with === 'resume') return goOn(work, beginning.trigger);
  const parts = await keepGiven(work, beginning.parts);
  // First, so that the notes stand before the prompt they belong to.
  await askSources(work);
  // What a front holds beside its skills hangs on its tools.
  if (mayPreload(work)) await refreshTools(work);
  const { session, runtime, turn, tell } = work;
  await session.mutex.pass(async () => {
    const stamp = { at: runtime.surroundings.now(), turn };
    const left = recover(session, 'other', stamp);
    const { events, notices } = await beginningWith(work, left, { ...beginning, parts }, stamp);
    for (const notice of notices) tell({ type: 'notice.raised', notice });
    return commitInside(session, [...left, ...events]);
  });
}

/**
 * The prompt with what it brings, and before it what the front will hold. A body that the user asks for and the front will
 * hold is not said twice; it is chosen from a prompt that brings all of them first: a shorter one is padded no less.
 */
async function beginningWith(
  work: StepContext,
  left: readonly Event[],
  { parts, client, skills = [], trigger }: Prompt<readonly ContentPart[]>,
  stamp: Pick<Event, 'at'> & { readonly turn: TurnId },
): Promise<BroughtSkills> {
  const saidWith = (preloaded: readonly string[]): BroughtSkills => {
    const { events, notices } = bringSkills(work, skills, preloaded, stamp);
    const started: Event = { kind: 'turn.started', ...stamp, data: began(work, trigger) };
    return {
      events: [started, ...events, { kind: 'prompt.given', ...stamp, data: { parts, presenter: client } }],
      notices,
    };
  };
  const preloads = await preloadSkills(work, [...left, ...saidWith([]).events]);
  const { events, notices } = saidWith(preloads.names);
  return { events: [...preloads.events, ...events], notices };
}

/** Subagents whose work nobody waits for any longer. */
async function settleLeft({ session, runtime, tell }: TurnContext, { with: how }: TurnBeginning): Promise<void> {
  if (session.progress.openSubagents.size === 0) return;
  const { log, secrets } = session;
  const { surroundings } = runtime;
  const say = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  await settleSubagents(session, { log, secrets, surroundings, tell: say }, how === 'resume');
}

/** What the log holds of how a turn begins. A policy is recorded where one was chosen, so that `resume` keeps it. */
function began({ runtime: { compaction } }: TurnContext, trigger: TurnBegan['trigger'] = 'user'): TurnBegan {
  return defined({ trigger, compaction });
}

async function goOn(work: TurnContext, trigger: TurnBegan['trigger'] | undefined): Promise<void> {
  const { session, runtime, turn } = work;
  await session.mutex.pass(() =>
    commitInside(session, recover(session, 'resume', { at: runtime.surroundings.now(), turn }, began(work, trigger))),
  );
  await askSources(work);
}

/** Opening wrote nothing: a mode that was narrowed there is written by the first command. */
async function settleMode({ session, runtime, turn }: TurnContext, mode: Mode): Promise<void> {
  if (session.progress.mode === mode) return;
  const at = runtime.surroundings.now();
  await commit(session, [{ kind: 'mode.changed', at, turn, data: { mode, by: 'settings' } }]);
}

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
interface BroughtSkills {
  /** Their bodies and loads, in front of the prompt. What stands before the model already is not said again. */
  readonly events: readonly Event[];
  /** What the user is told. */
  readonly notices: readonly Notice[];
}

/**
 * Skills that the user asks for with a prompt: each body is a note in front of the prompt it belongs to. The budget
 * does not refuse a person; it is told. `preloaded`: names of those that the front to be opened will hold.
 */
function bringSkills(
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

/**
 * What the choice of preloaded skills is made from. Whether the front is padded depends on the prompt too, so the choice is made
 * here as the epoch will make it, from the records that the turn is about to append. The caller has refreshed the tools.
 */
type Preloading = Pick<StepContext, 'session' | 'runtime' | 'wantedFor'>;

/** Whether a front is still to be opened that may hold bodies. */
export function mayPreload({ session, runtime }: Pick<Preloading, 'session' | 'runtime'>): boolean {
  return session.state.epoch === undefined && (runtime.skills?.preloads.length ?? 0) > 0;
}

/** Names of the bodies that the front will hold, and a load of no turn for each that was not told yet. */
interface Preloaded {
  readonly names: readonly string[];
  readonly events: readonly EventOf<'skill.loaded'>[];
}

const NONE: Preloaded = { names: [], events: [] };

/** None where an epoch is open or nothing is preloaded. `said`: what will stand before that epoch. */
export async function preloadSkills(
  { session, runtime, wantedFor }: Preloading,
  said: readonly Event[],
): Promise<Preloaded> {
  const { skills, capabilities, ttl, warm = 'off', surroundings } = runtime;
  if (skills === undefined || !mayPreload({ session, runtime })) return NONE;
  const at = surroundings.now();
  const state = said.reduce(asIfRecorded, session.state);
  const options = { wanted: await wantedFor(runtime), capabilities, ttl: lastingOf(ttl, warm, capabilities, state) };
  const names = frontFor(state, options, 'initial', { at }).padding?.skills ?? [];
  const events = names.flatMap((name): Preloaded['events'] => {
    const skill = skills.find(name);
    if (skill === undefined || session.progress.preloadedSkills.has(name)) return [];
    const { version, source } = skill;
    return [
      { kind: 'skill.loaded', at, data: { name, version, reason: 'always', tokens: skillTokens(skill), source } },
    ];
  });
  return { names, events };
}
