// Begins a turn with a prompt, or resumes a turn that ended early. Calls and turns that are still open from earlier are
// recovered in the same append.

import { defined } from '@tidemark/core';
import type { ContentPart, Event, EventOf, Timestamp, TurnBegan, TurnId } from '@tidemark/log';
import { recover } from '../decide/next-move.ts';
import { lastingOf } from '../decide/warmth.ts';
import { AgentError } from '../errors.ts';
import { hooksBeforePrompt, numberNotes } from '../hooks/hooks-of-turns.ts';
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
import { settleProcesses } from '../session/settle-processes.ts';
import { settleSubagents } from '../subagent/ending.ts';
import type { StepContext } from './prepare-step.ts';
import { refreshTools } from './refresh-tools.ts';

/** Input with which a turn begins: a prompt, or `resume`. */
export type TurnBeginning = (Prompt<Exclude<Words, string>> | { readonly with: 'resume' }) & {
  /** Cause of the turn. Default: `user`. */
  readonly trigger?: TurnBegan['trigger'];
};

interface Prompt<Parts> {
  readonly with: 'prompt';
  readonly parts: Parts;
  /** Name of the program that sent the prompt. The log stores it as `presenter`. */
  readonly client: string;
  readonly skills?: readonly Skill[];
  readonly trigger?: TurnBegan['trigger'];
}

/**
 * Begins a turn. When it returns, the turn is open in the log.
 *
 * @throws AgentError `agent/hook-denied` if a hook denies the prompt.
 */
export async function beginTurn(work: StepContext, beginning: TurnBeginning, mode: Mode): Promise<void> {
  // Hooks come first. If one denies the prompt, nothing else is recorded.
  const notes = beginning.with === 'prompt' ? await hooksBeforePrompt(work, beginning) : [];
  await settleMode(work, mode);
  await settleLeft(work, beginning);
  if (beginning.with === 'resume') return goOn(work, beginning.trigger);
  const parts = await keepGiven(work, beginning.parts);
  // Sources are asked first, so that their notes come before the prompt.
  await askSources(work);
  // The choice of the preloaded skills depends on the rest of the front, which contains the tools. Therefore the tools
  // are refreshed first.
  if (mayPreload(work)) await refreshTools(work);
  const { session, runtime, turn, tell } = work;
  await session.mutex.pass(async () => {
    const stamp = { at: runtime.surroundings.now(), turn };
    const left = recover(session, 'other', stamp);
    const { events, notices } = await beginningWith(work, left, { ...beginning, parts }, stamp);
    for (const notice of notices) tell({ type: 'notice.raised', notice });
    return commitInside(session, [...left, ...events, ...numberNotes(notes, session)]);
  });
}

/**
 * Returns the events of the prompt with its requested skills. Before them come the `skill.loaded` events of skills that
 * the front will contain. If the front will contain a requested body, the body is not sent again with the prompt. The
 * front's skills are chosen for a prompt with all requested bodies. This is safe, because a shorter prompt needs at
 * least as much padding.
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

/** Records the ends of background processes that were not seen. Ends open subagents that no call will continue. */
async function settleLeft({ session, runtime, tell }: TurnContext, { with: how }: TurnBeginning): Promise<void> {
  await settleProcesses(session, runtime);
  if (session.progress.openSubagents.size === 0) return;
  const { log, secrets } = session;
  const { surroundings } = runtime;
  const say = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  await settleSubagents(session, { log, secrets, surroundings, tell: say }, how === 'resume');
}

/**
 * Returns the recorded data about the start of a turn. A chosen compaction policy is recorded, so that `resume` keeps
 * it.
 */
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

/**
 * Records a mode that became narrower when the session was opened. Opening writes nothing, so the first command records
 * the mode.
 */
async function settleMode({ session, runtime, turn }: TurnContext, mode: Mode): Promise<void> {
  if (session.progress.mode === mode) return;
  const at = runtime.surroundings.now();
  await commit(session, [{ kind: 'mode.changed', at, turn, data: { mode, by: 'settings' } }]);
}

/**
 * Returns the skills with these names, without duplicates.
 *
 * @throws AgentError `agent/unknown-skill` if there is no skill with a name.
 */
export function findSkills(shelf: SkillShelf | undefined, names: readonly string[]): readonly Skill[] {
  return [...new Set(names)].map((name) => {
    const found = shelf?.find(name);
    if (found !== undefined) return found;
    const nearest = nearestName(name, shelf?.names ?? []);
    const none = shelf === undefined || shelf.names.length === 0;
    const list = none
      ? 'this session has no skills, so install one, or list its folder in `skills.roots`'
      : '`tidemark skills` lists the installed skills';
    const next = nearest === undefined ? list : `did you mean ${nearest}?`;
    throw new AgentError('agent/unknown-skill', `there is no skill ${name}: ${next}`, { skill: name });
  });
}

interface BroughtSkills {
  /**
   * Events before the prompt: a note with the body of each skill, and a record that the skill was loaded. A skill that
   * is already in the context is not repeated.
   */
  readonly events: readonly Event[];
  readonly notices: readonly Notice[];
}

/**
 * Returns the events for skills that the user requests with a prompt. Each body is a note before its prompt. If a skill
 * exceeds the budget, it is still loaded, and the user gets a notice. `preloaded`: names of the skills that the next
 * front will contain.
 */
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
        message: `the skill ${name} is already in the context and was not loaded again`,
        next: 'No action is needed.',
      };
    case 'refuse':
      return {
        code: 'skill/over-budget',
        message: `${verdict.why} It was loaded anyway, because you asked for it`,
        next: 'The model can load no other skill until a compaction has dropped the loaded skills.',
      };
    case 'load':
      return verdict.warning === undefined
        ? undefined
        : {
            code: 'skill/near-budget',
            message: verdict.warning,
            next: 'A compaction drops loaded skills and frees their tokens.',
          };
  }
}

/**
 * Input for the choice of preloaded skills. The padding of the front also depends on the prompt. The choice is
 * therefore made from the records that the turn will append. When the epoch opens later, it makes the same choice. The
 * caller has refreshed the tools.
 */
type Preloading = Pick<StepContext, 'session' | 'runtime' | 'wantedFor'>;

/** Returns true if the session has no epoch yet and skill bodies can be preloaded into its front. */
export function mayPreload({ session, runtime }: Pick<Preloading, 'session' | 'runtime'>): boolean {
  return session.state.epoch === undefined && (runtime.skills?.preloads.length ?? 0) > 0;
}

/**
 * Names of the skills that the front will contain. Also a `skill.loaded` event, without a turn, for each skill that is
 * not recorded yet.
 */
interface Preloaded {
  readonly names: readonly string[];
  readonly events: readonly EventOf<'skill.loaded'>[];
}

const NONE: Preloaded = { names: [], events: [] };

/**
 * Returns the skills that the front will contain. Returns no skills if an epoch is open or no skill can be preloaded.
 * `earlierEvents` contains the events that will come before the epoch.
 */
export async function preloadSkills(
  { session, runtime, wantedFor }: Preloading,
  earlierEvents: readonly Event[],
): Promise<Preloaded> {
  const { skills, capabilities, ttl, warm = 'off', surroundings } = runtime;
  if (skills === undefined || !mayPreload({ session, runtime })) return NONE;
  const at = surroundings.now();
  const state = earlierEvents.reduce(asIfRecorded, session.state);
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
