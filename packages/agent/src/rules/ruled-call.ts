// A call as rules and grants look at it.

import type { EffectClass } from '@tidemark/log';
import type { Acts } from './acts.ts';

/** The call that is judged. */
export interface RuledCall {
  readonly tool: string;
  readonly effect: EffectClass;
  /** All that it changes lies inside the workspace. */
  readonly confined: boolean;
  /** Absent: nothing is known, so a rule that looks at anything allows nothing, and forbids all. */
  readonly acts?: Acts;
}
