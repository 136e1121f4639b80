// One step: the model is asked once, and how that ended is in the log. A failure that may pass is waited for; the same step
// is then asked again by the loop.

import type { CallForecast } from '@tidemark/log';
import type { ProviderError, StreamPart } from '@tidemark/model';
import type { Ending } from '../decide/next-move.ts';
import { whyLimited, whyTooDear } from '../decide/limits.ts';
import { failedBy, retryPause } from '../decide/retry.ts';
import type { Prepared } from '../request/prepare.ts';
import { prepareRequest } from '../request/prepare.ts';
import { NOTHING_SPENT } from '../session/spent.ts';
import { exchange, recordEnd } from './exchange.ts';
import type { Received } from './receive.ts';
import type { Wanting } from './wanted.ts';
import type { Work } from './work.ts';

/** A turn at work, and since when. */
export interface Working extends Work {
  readonly wanting: Wanting;
  /** By `surroundings.elapsed`. */
  readonly begunAt: number;
}

/** Asks. What it returns ends the turn; without it the log says how to go on. */
export async function askModel(working: Working): Promise<Ending | undefined> {
  const limited = whyLimited(working.runtime.limits, takenBy(working));
  if (limited !== undefined) return limited;
  const prepared = await prepare(working);
  if ('outcome' in prepared) return prepared;
  const received = await exchange(working, prepared, (part) => hear(working, part));
  return land(working, prepared, received);
}

function hear({ tell }: Working, part: StreamPart): void {
  if (part.type === 'text.delta' || part.type === 'reasoning.delta') tell({ type: part.type, text: part.text });
}

/** What the turn has taken up to now. */
function takenBy({ session, runtime, begunAt }: Working): Parameters<typeof whyLimited>[1] {
  const spent = session.progress.turn?.spent ?? NOTHING_SPENT;
  return { spent, ms: runtime.surroundings.elapsed() - begunAt };
}

/** Thrown out of the preparation before anything is committed. */
class TooDear extends Error {
  readonly ending: Ending;
  constructor(ending: Ending) {
    super('the next call would exceed the limit of money');
    this.ending = ending;
  }
}

async function prepare(working: Working): Promise<Prepared | Ending> {
  const { session, lines, runtime, turn, wanting } = working;
  const { capabilities, provider, outputLimit, ttl, envelope, betas, surroundings } = runtime;
  const admit = (forecast: CallForecast): void => {
    const ending = whyTooDear(runtime.limits, takenBy(working).spent, forecast);
    if (ending !== undefined) throw new TooDear(ending);
  };
  const wanted = await wanting(runtime);
  const made = { wanted, capabilities, encoder: provider.encoder, outputLimit, ttl, envelope, betas };
  const { attempts } = session.progress;
  try {
    return await prepareRequest(session, lines, { ...made, at: surroundings.now(), attempt: attempts, turn, admit });
  } catch (error) {
    if (error instanceof TooDear) return error.ending;
    throw error;
  }
}

async function land(working: Working, prepared: Prepared, received: Received): Promise<Ending | undefined> {
  if (received.end === 'failed') return fail(working, prepared, received);
  await recordEnd(working, prepared, received, false);
  return undefined;
}

async function fail(
  working: Working,
  prepared: Prepared,
  received: Extract<Received, { readonly end: 'failed' }>,
): Promise<Ending | undefined> {
  const { session, runtime } = working;
  const { surroundings, retry, limits } = runtime;
  const { error } = received;
  const pause = retryPause(retry, error, session.progress.tries, surroundings.random());
  await recordEnd(working, prepared, received, pause !== undefined);
  if (pause === undefined) return failedBy(error);
  const { spent, ms } = takenBy(working);
  const late = whyLimited(limits, { spent, ms: ms + pause });
  if (late !== undefined) return late;
  await waitToRetry(working, error, pause);
  return undefined;
}

async function waitToRetry(
  { session, runtime, signal, tell }: Working,
  error: ProviderError,
  ms: number,
): Promise<void> {
  const { tries } = session.progress;
  const notice = {
    code: 'turn/retrying',
    message: `${error.message} (sending ${tries} of ${runtime.retry.attempts})`,
    next: `It is sent again in ${Math.ceil(ms / 1000)} s; interrupt to stop.`,
  };
  tell({ type: 'notice.raised', notice });
  await runtime.surroundings.wait(ms, signal);
}
