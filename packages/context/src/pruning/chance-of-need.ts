// How often a result is needed after it became prunable: fitted on recorded sessions, printed by `npm run bench -- pruning-needs`.

import type { Grounds } from './uses.ts';

/**
 * The share of long results to which the input of a later tool call referred, of those that had become prunable on these grounds.
 * Fitted on the two long recorded sessions as (needed + 1) / (seen + 2): see docs/decisions/2026-11-22-pruning-by-value.md.
 */
export const chanceOfNeed: Readonly<Record<Grounds, number>> = {
  repeated: 0.11,
  changed: 0.94,
  'changed-unused': 0.48,
  unused: 0.22,
};
