// Which skills stand before the model: the front says what was preloaded, the log what was loaded, and the compaction in
// force what is gone of that. Folded from records alone, so that it is the same after a restart and in a fork.

import type { SkillsInContext } from '../skills/skill-shelf.ts';
import type { Fold } from './fold.ts';

/** See the head of this file. A recorded compaction is taken up by the next request: what it stands for is as good as gone. */
export function skillsInContext({ state, progress }: Pick<Fold, 'state' | 'progress'>): SkillsInContext {
  const dropped = state.compacted?.data.range.to ?? -1;
  return {
    preloaded: state.epoch?.opened.padding?.skills ?? [],
    loaded: progress.skills
      .filter(({ at }) => at > dropped)
      .map(({ name, version, tokens }) => ({ name, version, tokens })),
  };
}
