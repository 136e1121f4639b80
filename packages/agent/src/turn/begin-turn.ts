// How a turn begins: with what somebody said, or by going on with one that was cut. What was left open before is recovered in
// the same append.

import type { Event } from '@tidemark/log';
import type { Mode } from '../tools/permissions.ts';
import { recover } from '../decide/recover.ts';
import { keepGivenImages } from '../images/keep-images.ts';
import { commit, commitInside } from '../session/session.ts';
import { askSources } from '../sources/ask-sources.ts';
import type { Skill } from '../skills/skill-shelf.ts';
import { bringSkills } from './bring-skills.ts';
import type { Words } from './live-session.ts';
import { preloadSkills } from './preload-skills.ts';
import type { Work } from './work.ts';
import type { Working } from './working.ts';

/** What a turn begins with. */
export type Beginning =
  | {
      readonly with: 'prompt';
      readonly parts: Exclude<Words, string>;
      readonly presenter: string;
      readonly skills?: readonly Skill[];
    }
  | { readonly with: 'resume' };

/** Begins; when this returns the turn is open in the log. */
export async function beginTurn(work: Working, beginning: Beginning, mode: Mode): Promise<void> {
  await settleMode(work, mode);
  if (beginning.with === 'resume') return goOn(work);
  const { session, runtime, turn } = work;
  const { presenter, skills = [] } = beginning;
  const parts = await keepGivenImages({ ...runtime, artifacts: session.log.artifacts }, beginning.parts);
  // First, so that the notes stand before the prompt they belong to.
  await askSources(work);
  await session.turnstile.pass(async () => {
    const stamp = { at: runtime.surroundings.now(), turn };
    const said: readonly Event[] = [
      { kind: 'turn.started', ...stamp, data: { trigger: 'user' } },
      ...bringSkills(work, skills, stamp),
      { kind: 'prompt.given', ...stamp, data: { parts, presenter } },
    ];
    const left = recover(session, 'other', stamp);
    return commitInside(session, [...left, ...(await preloadSkills(work, [...left, ...said])), ...said]);
  });
}

async function goOn(work: Work): Promise<void> {
  const { session, runtime, turn } = work;
  await session.turnstile.pass(() =>
    commitInside(session, recover(session, 'resume', { at: runtime.surroundings.now(), turn })),
  );
  await askSources(work);
}

/** Opening wrote nothing: a mode that was narrowed there is written by the first command. */
async function settleMode({ session, runtime, turn }: Work, mode: Mode): Promise<void> {
  if (session.progress.mode === mode) return;
  const at = runtime.surroundings.now();
  await commit(session, [{ kind: 'mode.changed', at, turn, data: { mode, by: 'settings' } }]);
}
