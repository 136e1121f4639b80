// One step: the model is asked once, and how that ended is in the log. A failure that may pass is waited for; the same step
// is then asked again by the loop.

import type { ForeseenRewrite } from '@tidemark/context';
import type { ProviderError, StreamPart } from '@tidemark/model';
import type { Ending } from '../decide/next-move.ts';
import { whyLimited, whyTooDear } from '../decide/limits.ts';
import { failedBy, retryPause } from '../decide/retry.ts';
import { heardFrom } from '../request/continuation.ts';
import type { Foreseen, Prepared } from '../request/prepare.ts';
import { prepareRequest } from '../request/prepare.ts';
import { lastingOf } from '../decide/warmth.ts';
import { isWorthSaying } from '../decide/rewrites.ts';
import { NOTHING_SPENT } from '../session/spent.ts';
import { exchange, recordEnd } from './exchange.ts';
import type { Received } from './receive.ts';
import { recoverContext, recoveryFrom, relievePressure } from './recover-context.ts';
import { repairFor, repairRequest } from './repair-request.ts';
import { sayPressure } from './say-pressure.ts';
import { sayRewrite } from './say-rewrite.ts';
import { REWRITE_NOTICE } from './runtime.ts';
import type { Wanting } from './wanted.ts';
import type { Work } from './work.ts';

/** A turn at work, and since when. */
export interface Working extends Work {
  readonly wanting: Wanting;
  /** By `surroundings.elapsed`. */
  readonly begunAt: number;
  /** Steps whose rewrite was said, and agreed to where somebody was asked. */
  readonly said: Set<number>;
}

/** Asks. What it returns ends the turn; without it the log says how to go on. */
export async function askModel(turn: Working): Promise<Ending | undefined> {
  // A step is made with what the session is run with as it begins: a model that is switched to meanwhile is asked next.
  const working: Working = { ...turn, runtime: turn.runtime };
  const limited = whyLimited(working.runtime.limits, takenBy(working));
  if (limited !== undefined) return limited;
  await relievePressure(working);
  const prepared = await prepare(working);
  if (prepared === undefined || 'outcome' in prepared) return prepared;
  sayPressure(working, prepared);
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
class NotYet extends Error {
  readonly why: Ending | ForeseenRewrite;
  readonly step: number;
  constructor(why: Ending | ForeseenRewrite, step: number) {
    super('the next call is not made as it stands');
    this.why = why;
    this.step = step;
  }
}

/** The request; an ending where none is to be made; nothing when the user interrupted. */
async function prepare(working: Working): Promise<Prepared | Ending | undefined> {
  for (;;) {
    const made = await tryToPrepare(working);
    if (!(made instanceof NotYet)) return made;
    if ('outcome' in made.why) return made.why;
    // Not while the session is held for the request: whoever is asked may take long, and others have things to say.
    const ending = await sayRewrite(working, made.step, made.why);
    if (ending !== undefined || working.signal.aborted) return ending;
    working.said.add(made.step);
  }
}

async function tryToPrepare(working: Working): Promise<Prepared | NotYet> {
  const { session, lines, runtime, turn, wanting } = working;
  const { capabilities, provider, warm = 'off', pruning = 'auto', envelope, betas, budgets, surroundings } = runtime;
  const ttl = lastingOf(runtime.ttl, warm, capabilities, session.state);
  const outputLimit = Math.min(runtime.outputLimit, capabilities.outputLimit);
  const wanted = await wanting(runtime);
  const { encoder, continues = false } = provider;
  const made = {
    wanted,
    capabilities,
    encoder,
    continues,
    outputLimit,
    ttl,
    pruning,
    envelope,
    betas,
    ...(budgets && { budgets }),
  };
  const { attempts: attempt } = session.progress;
  const admit = (foreseen: Foreseen): void => requireSaid(working, foreseen);
  try {
    return await prepareRequest(session, lines, { ...made, at: surroundings.now(), attempt, turn, admit });
  } catch (error) {
    if (error instanceof NotYet) return error;
    throw error;
  }
}

/** @throws NotYet for a call beyond the limit of money, and for a rewrite that was not said. */
function requireSaid(working: Working, { step, outlook, rewrite }: Foreseen): void {
  const { limits, rewriteNotice = REWRITE_NOTICE } = working.runtime;
  const ending = whyTooDear(limits, takenBy(working).spent, outlook.forecast);
  if (ending !== undefined) throw new NotYet(ending, step);
  if (rewrite === undefined || working.said.has(step) || !isWorthSaying(rewriteNotice, rewrite)) return;
  throw new NotYet(rewrite, step);
}

async function land(working: Working, prepared: Prepared, received: Received): Promise<Ending | undefined> {
  if (received.end === 'failed') return fail(working, prepared, received);
  await recordEnd(working, prepared, received, false);
  if (received.end === 'finished') {
    working.lines.heard = heardFrom(prepared.sequence, prepared.record.data.encoder, received.answer);
  }
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
  const repair = repairFor(working, prepared, error);
  if (repair !== undefined) {
    await recordEnd(working, prepared, received, true);
    await repairRequest(working, repair, error);
    return undefined;
  }
  const recovery = recoveryFrom(working, error);
  const pause = retryPause(retry, error, session.progress.tries, surroundings.random());
  await recordEnd(working, prepared, received, pause !== undefined || recovery !== undefined);
  const tooLong = await recoverContext(working, recovery, error);
  if (tooLong !== undefined || (recovery !== undefined && pause === undefined)) return tooLong;
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
