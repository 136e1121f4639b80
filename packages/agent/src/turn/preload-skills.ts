// Skills whose bodies the first front will hold: told before the first turn. Whether the front is padded hangs on the prompt
// too, so the choice is made here as the epoch will make it, from the records that are about to stand in the log.

import type { Event } from '@tidemark/log';
import { asIfRecorded } from '../request/as-if-recorded.ts';
import { frontFor } from '../request/open-epoch.ts';
import { lastingOf } from '../decide/warmth.ts';
import { skillTokens } from '../skills/judge-load.ts';
import type { Working } from './working.ts';

/** One load for each body, of no turn; none where an epoch is open or nothing is preloaded. `said`: what begins the turn. */
export async function preloadSkills(working: Working, said: readonly Event[]): Promise<readonly Event[]> {
  const { session, runtime, wantedFor } = working;
  const { skills, capabilities, ttl, warm = 'off', surroundings } = runtime;
  if (skills === undefined || skills.preloads.length === 0 || session.state.epoch !== undefined) return [];
  const at = surroundings.now();
  const state = said.reduce(asIfRecorded, session.state);
  const options = { wanted: await wantedFor(runtime), capabilities, ttl: lastingOf(ttl, warm, capabilities, state) };
  const { padding } = frontFor(state, options, 'initial', { at });
  return (padding?.skills ?? []).flatMap((name): readonly Event[] => {
    const skill = skills.find(name);
    if (skill === undefined || session.progress.preloaded.has(name)) return [];
    const { version, source } = skill;
    return [
      { kind: 'skill.loaded', at, data: { name, version, reason: 'always', tokens: skillTokens(skill), source } },
    ];
  });
}
