// Loaded skills: what is recorded about a load, and if its body is still whole after a compaction.

import type { ContentPart, HistoryCompacted, SkillLoaded } from '@tidemark/log';

/** A recorded load of a skill. */
export interface SkillLoad extends Pick<SkillLoaded, 'name' | 'version' | 'tokens'> {
  /**
   * Position that decides when the body is dropped. A compaction drops the body if the range of the compaction ends at
   * or after this position. For a body in a tool result, it is the position of the answer that made the call, because a
   * call and its result are dropped together.
   */
  readonly at: number;
  /**
   * Length in UTF-16 units of the tool result that contains the body. A compaction may shorten it. Absent if the body
   * came with a prompt.
   */
  readonly units?: number;
}

/**
 * Returns true if a skill body is still whole in the tail after a compaction. If the body was dropped or shortened,
 * returns false, and the skill can be loaded again.
 */
export function leavesWhole(
  { range, shortens = Infinity }: Pick<HistoryCompacted, 'range' | 'shortens'>,
  { at, units = 0 }: SkillLoad,
): boolean {
  return at > range.to && units <= shortens;
}

/** Returns the length in UTF-16 units. A compaction that shortens results counts in the same way. */
export function unitsOf(parts: readonly ContentPart[]): number {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n').length;
}
