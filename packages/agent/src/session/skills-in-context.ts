// Which skills stand before the model: the front says what was preloaded, the log what was loaded, and the compaction in
// force what is gone of that. Folded from records alone, so that it is the same after a restart and in a fork.

import type { State } from '@tidemark/context';
import type { SkillsInContext } from '../skills/skill-shelf.ts';
import type { Fold } from './fold.ts';
import type { SkillLoad } from './progress.ts';

/** See the head of this file. A recorded compaction is taken up by the next request: what it stands for is as good as gone. */
export function skillsInContext({ state, progress }: Pick<Fold, 'state' | 'progress'>): SkillsInContext {
  const { compacted, epoch } = state;
  return {
    preloaded: epoch?.opened.padding?.skills ?? [],
    loaded: progress.skills
      .filter((load) => compacted === undefined || isLeft(load, compacted))
      .map(({ name, version, tokens }) => ({ name, version, tokens })),
  };
}

/** A body that was cut is none: one that shortens results leaves none of those before it to be gone by. */
function isLeft(
  { at, isResult }: SkillLoad,
  { position, data: { range, shortens } }: NonNullable<State['compacted']>,
): boolean {
  return at > range.to && !(isResult && shortens !== undefined && at < position);
}
