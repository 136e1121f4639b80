// Skills whose bodies the first front will hold: told before the first turn. Whether the front is padded hangs on the prompt
// too, so the choice is made here as the epoch will make it, from the records that are about to stand in the log. The tools
// of that epoch have to be there: whoever asks has taken them.

import type { Event, EventOf } from '@tidemark/log';
import { asIfRecorded } from '../request/as-if-recorded.ts';
import { frontFor } from '../request/open-epoch.ts';
import { lastingOf } from '../decide/warmth.ts';
import { skillTokens } from '../skills/judge-load.ts';
import type { StepContext } from './step-context.ts';

/** What the choice is made from. */
export type Preloading = Pick<StepContext, 'session' | 'runtime' | 'wantedFor'>;

/** Whether a front is still to be opened that may hold bodies. */
export function mayPreload({ session, runtime }: Pick<Preloading, 'session' | 'runtime'>): boolean {
  return session.state.epoch === undefined && (runtime.skills?.preloads.length ?? 0) > 0;
}

/** Names of the bodies that the front will hold, and a load of no turn for each that was not told yet. */
export interface Preloaded {
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
    if (skill === undefined || session.progress.preloaded.has(name)) return [];
    const { version, source } = skill;
    return [
      { kind: 'skill.loaded', at, data: { name, version, reason: 'always', tokens: skillTokens(skill), source } },
    ];
  });
  return { names, events };
}
