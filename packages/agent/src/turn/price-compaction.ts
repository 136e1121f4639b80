// Prices a compaction before it is recorded: of a live session, and of a session that is read without a runtime.

import type { Encoder } from '@tidemark/model';
import type { PriceCompaction } from '../ports/compaction.ts';
import { callOptionsAtRest, withRoleOfFront } from '../request/call-at-rest.ts';
import type { Session } from '../session/session.ts';
import type { CompactionWriting } from '../compact/write-compaction.ts';
import { FORECAST_TURN, forecastCompaction } from './forecast-call.ts';
import type { StepContext } from './prepare-step.ts';
import { stepOptions } from './prepare-step.ts';

/** Returns the function that prices a compaction of a live session without a running turn. */
export function compactionPrice(place: StepContext): PriceCompaction {
  return (data) => place.session.mutex.pass(async () => forecastCompaction(place, await stepOptions(place), data));
}

/**
 * Returns the function that prices a compaction of a session that is open without a provider. The next request is
 * assumed to have the model, the tools and the system texts of the last one. Returns `undefined` if the session has
 * sent no request of its own. `encoder` is the encoder of the last request.
 */
export async function compactionPriceAtRest(
  session: Pick<Session, 'state' | 'progress' | 'log'>,
  { capabilities, outputLimit, surroundings }: CompactionWriting['runtime'],
  encoder: Encoder,
): Promise<PriceCompaction | undefined> {
  const { state, log } = session;
  const at = surroundings.now();
  const options = await callOptionsAtRest(state, log, { capabilities, outputLimit, at, encoder });
  if (options === undefined) return undefined;
  const promptStreams = { main: undefined };
  return (data) => {
    const resting = { ...session, state: withRoleOfFront(session.state) };
    return forecastCompaction({ session: resting, promptStreams, turn: FORECAST_TURN }, options, data);
  };
}
