// The request of a step. Where it would take more tokens or money than the turn may, none is made; where it pays again for what was sent
// before, that is said first, and the request is prepared anew.

import type { ForeseenRewrite } from '@tidemark/context';
import { whyBeyond } from '../decide/limits.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { isWorthSaying } from '../decide/rewrites.ts';
import { lastingOf } from '../decide/warmth.ts';
import type { Foreseen } from '../request/call-options.ts';
import type { Prepared } from '../request/prepare.ts';
import { prepareRequest } from '../request/prepare.ts';
import { REWRITE_NOTICE } from './runtime.ts';
import { policyOf } from './recover-context.ts';
import { sayRewrite } from './say-rewrite.ts';
import type { StepContext } from './step-context.ts';
import { takenBy } from './step-context.ts';

/** The request, in the log and flushed; an ending where none is to be made; nothing when the user interrupted. */
export async function prepareStep(working: StepContext): Promise<Prepared | TurnEnding | undefined> {
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

/** Thrown out of the preparation before anything is committed. */
class NotYet extends Error {
  readonly why: TurnEnding | ForeseenRewrite;
  readonly step: number;
  constructor(why: TurnEnding | ForeseenRewrite, step: number) {
    super('the next call is not made as it stands');
    this.why = why;
    this.step = step;
  }
}

async function tryToPrepare(working: StepContext): Promise<Prepared | NotYet> {
  const { session, lines, runtime, turn, wantedFor } = working;
  const { capabilities, provider, warm = 'off', pruning = 'auto', envelope, betas, budgets, surroundings } = runtime;
  const wanted = await wantedFor(runtime);
  try {
    return await prepareRequest(session, lines, {
      at: surroundings.now(),
      turn,
      wanted,
      capabilities,
      encoder: provider.encoder,
      account: provider.account,
      continues: provider.continues ?? false,
      outputLimit: Math.min(runtime.outputLimit, capabilities.outputLimit),
      attempt: session.progress.attempts,
      ttl: lastingOf(runtime.ttl, warm, capabilities, session.state),
      pruning,
      compacts: policyOf(working) !== 'manual',
      envelope,
      betas,
      ...(budgets && { budgets }),
      admit: (foreseen) => requireSaid(working, foreseen),
    });
  } catch (error) {
    if (error instanceof NotYet) return error;
    throw error;
  }
}

/** @throws NotYet for a call beyond the limit of tokens or money, and for a rewrite that was not said. */
function requireSaid(working: StepContext, { step, outlook, rewrite }: Foreseen): void {
  const { limits, rewriteNotice = REWRITE_NOTICE } = working.runtime;
  const ending = whyBeyond(limits, takenBy(working).spent, outlook.forecast);
  if (ending !== undefined) throw new NotYet(ending, step);
  if (rewrite === undefined || working.said.has(step) || !isWorthSaying(rewriteNotice, rewrite)) return;
  throw new NotYet(rewrite, step);
}
