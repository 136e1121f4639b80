// Which skills stand before the model: the front says what was preloaded, the log what was loaded and what of that is gone.
// Folded from records alone, so that it is the same after a restart and in a fork.

import type { SkillsInContext } from '../skills/skill-shelf.ts';
import type { Fold } from './fold.ts';

/** See the head of this file. */
export function skillsInContext({ state: { epoch }, progress }: Pick<Fold, 'state' | 'progress'>): SkillsInContext {
  return {
    preloaded: epoch?.opened.padding?.skills ?? [],
    loaded: progress.skills.map(({ name, version, tokens }) => ({ name, version, tokens })),
  };
}
