// Prices a compaction before it is recorded: of a live session, and of a session that is read without a runtime.

import { isRecorded } from '@tidemark/context';
import { defined } from '@tidemark/core';
import type { Encoder } from '@tidemark/model';
import type { PriceCompaction } from '../ports/compaction.ts';
import type { CallOptions } from '../request/draft-call.ts';
import { loadFront } from '../session/materials.ts';
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
  const { epoch, streams } = session.state;
  if (epoch === undefined || isRecorded(epoch.opened)) return undefined;
  const { opened, inForce } = epoch;
  const { provider, model } = opened;
  const account = streams['main']?.accepted?.prepared.account;
  const options: CallOptions = {
    at: surroundings.now(),
    wanted: {
      provider,
      model,
      parameters: inForce.parameters,
      capabilities: opened.capabilities,
      texts: await loadFront(session.log.artifacts, opened),
      takeTools: 'next-epoch',
    },
    capabilities,
    encoder,
    outputLimit,
    ...defined({ account }),
  };
  return (data) =>
    forecastCompaction({ session, promptStreams: { main: undefined }, turn: FORECAST_TURN }, options, data);
}
