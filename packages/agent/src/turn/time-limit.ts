// Limit of a turn's duration. When the time is over, the turn's signal aborts, as after an interrupt. The turn then
// ends as `limited`.

import type { Runtime } from '../ports/runtime.ts';

/** Longest wait of a timer in Node, in milliseconds. A longer limit is divided into several waits. */
const LONGEST_WAIT_MS = 2_147_483_647;

/** Abort reason of the signal when the time of a turn is over. */
const TIME_OVER = new Error('the time of the turn is over');

/** Returns true if the signal aborted because the time of the turn was over. Returns false for an interrupt. */
export function isTimeOver({ reason }: AbortSignal): boolean {
  return reason === TIME_OVER;
}

/**
 * Aborts the turn when its time is over. If the turn has no limit, returns immediately. Otherwise returns when `ended`
 * aborts.
 */
export async function abortWhenTimeIsOver(
  turn: AbortController,
  { limits: { ms }, surroundings }: Pick<Runtime, 'limits' | 'surroundings'>,
  ended: AbortSignal,
): Promise<void> {
  if (ms === undefined) return;
  let now = surroundings.elapsed();
  const end = now + ms;
  while (now < end && !ended.aborted) {
    await surroundings.wait(Math.min(end - now, LONGEST_WAIT_MS), ended);
    const later = surroundings.elapsed();
    // A clock that does not move cannot measure the limit. The limit is then checked only before each call.
    if (later <= now) return;
    now = later;
  }
  if (!ended.aborted) turn.abort(TIME_OVER);
}
