// What follows a failed call, by what may help: the block that was refused is put aside; the history is compacted; what may
// pass is waited for; else the turn ends. The loop then asks the same step again.

import type { ProviderError } from '@tidemark/model';
import { whyLimited } from '../decide/limits.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { beginningOf, failedBy, retryPause } from '../decide/retry.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Received } from './call-provider.ts';
import { recordEnd } from './record-end.ts';
import { recoverContext, recoveryFrom } from './recover-context.ts';
import { repairFor, repairRequest } from './repair-request.ts';
import type { StepContext } from './step-context.ts';
import { takenBy } from './step-context.ts';

/** Records the failure and does what may help; what it returns ends the turn. */
export async function followFailure(
  working: StepContext,
  prepared: Prepared,
  received: Extract<Received, { readonly end: 'failed' }>,
): Promise<TurnEnding | undefined> {
  const { session, runtime } = working;
  const { surroundings, retry } = runtime;
  const { error } = received;
  const repair = repairFor(working, prepared, error);
  if (repair !== undefined) {
    await recordEnd(working, prepared, received, true);
    await repairRequest(working, repair, error);
    return undefined;
  }
  const recovery = recoveryFrom(working, error);
  const pause = retryPause(retry, error, session.progress.tries, surroundings.random());
  await recordEnd(working, prepared, received, pause !== undefined || recovery !== undefined);
  const unfit = await recoverContext(working, recovery, error);
  if (unfit !== undefined || (recovery !== undefined && pause === undefined)) return unfit;
  return pause === undefined ? failedBy(error) : waitToRetry(working, error, pause);
}

/** Waits, unless the turn would be over its time by then. */
async function waitToRetry(working: StepContext, error: ProviderError, pause: number): Promise<TurnEnding | undefined> {
  const { session, runtime, signal, tell } = working;
  const { spent, ms } = takenBy(working);
  const late = whyLimited(runtime.limits, { spent, ms: ms + pause });
  if (late !== undefined) return late;
  const notice = {
    code: 'turn/retrying',
    message: `${beginningOf(error.message)} (sending ${session.progress.tries} of ${runtime.retry.attempts})`,
    next: `It is sent again in ${Math.ceil(pause / 1000)} s; interrupt to stop.`,
  };
  tell({ type: 'notice.raised', notice });
  await runtime.surroundings.wait(pause, signal);
  return undefined;
}
