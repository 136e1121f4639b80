// How much of its output a call may show the model: decided when it lands, with the calls of its batch that are then open.

import type { OutputLimits } from '../commit/output-limits.ts';
import { limitsAt } from '../commit/output-limits.ts';
import { openCalls } from '../decide/open-calls.ts';
import type { TurnContext } from '../turn/turn-context.ts';

/**
 * The limit of each result, or its share of the headroom. Calls that land together are each promised the same share, and
 * one that shows less than its share leaves the rest to those behind it: so all of them fit, in whatever order they land.
 */
export function limitsOf({ session, runtime }: TurnContext): OutputLimits {
  return limitsAt(session.state, runtime.capabilities, openCalls(session.state).length);
}
