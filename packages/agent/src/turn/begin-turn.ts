// How a turn begins: with what somebody said, or by going on with one that was cut. What was left open before is recovered in
// the same append.

import type { ContentPart, Event, TurnBegan, TurnId } from '@tidemark/log';
import type { Mode } from '../tools/permissions.ts';
import { recover } from '../decide/recover.ts';
import { keepGiven } from '../session/keep-given.ts';
import { commit, commitInside } from '../session/session.ts';
import { askSources } from '../sources/ask-sources.ts';
import type { Skill } from '../skills/skill-shelf.ts';
import type { BroughtSkills } from './bring-skills.ts';
import { bringSkills } from './bring-skills.ts';
import type { Words } from './live-session.ts';
import { mayPreload, preloadSkills } from './preload-skills.ts';
import type { Notice } from './session-event.ts';
import { settleSubagents } from '../subagent/settle-subagents.ts';
import { refreshTools } from './refresh-tools.ts';
import type { TurnContext } from './turn-context.ts';
import type { StepContext } from './step-context.ts';

/** What a turn begins with. */
export type TurnBeginning = (Prompt<Exclude<Words, string>> | { readonly with: 'resume' }) & {
  /** The user unless said. */
  readonly trigger?: TurnBegan['trigger'];
};

interface Prompt<Parts> {
  readonly with: 'prompt';
  readonly parts: Parts;
  readonly presenter: string;
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
  { parts, presenter, skills = [], trigger }: Prompt<readonly ContentPart[]>,
  stamp: Pick<Event, 'at'> & { readonly turn: TurnId },
): Promise<BroughtSkills> {
  const saidWith = (preloaded: readonly string[]): BroughtSkills => {
    const { events, notices } = bringSkills(work, skills, preloaded, stamp);
    const started: Event = { kind: 'turn.started', ...stamp, data: began(work, trigger) };
    return { events: [started, ...events, { kind: 'prompt.given', ...stamp, data: { parts, presenter } }], notices };
  };
  const preloads = await preloadSkills(work, [...left, ...saidWith([]).events]);
  const { events, notices } = saidWith(preloads.names);
  return { events: [...preloads.events, ...events], notices };
}

/** Subagents whose work nobody waits for any longer. */
async function settleLeft({ session, runtime, tell }: TurnContext, { with: how }: TurnBeginning): Promise<void> {
  if (session.progress.subagents.size === 0) return;
  const { log, secrets } = session;
  const { surroundings } = runtime;
  const say = (notice: Notice): void => tell({ type: 'notice.raised', notice });
  await settleSubagents(session, { log, secrets, surroundings, tell: say }, how === 'resume');
}

/** What the log holds of how a turn begins. A policy is recorded where one was chosen, so that `resume` keeps it. */
function began({ runtime: { compaction } }: TurnContext, trigger: TurnBegan['trigger'] = 'user'): TurnBegan {
  return { trigger, ...(compaction !== undefined && { compaction }) };
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
