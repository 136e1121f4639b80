// When pressure is worth a record: once per checkpoint and tier, and not on the way down, so that neither a restart nor a
// request that shrank and grew again repeats it.

import type { PressureCrossed } from '@tidemark/log';
import type { Gauge } from './gauge.ts';
import { isAbove } from './gauge.ts';
import type { Crossed, State } from '../state/state.ts';

/** The record of a tier that the next request reaches; `undefined` where it was said, is calm, or is not known. */
export function crossingOf(state: State, gauge: Gauge): PressureCrossed | undefined {
  const { tier } = gauge;
  const checkpoint = state.epoch?.opened.checkpoint;
  if (tier === 'unknown' || !isAbove(tier, saidBehind(state.pressure, checkpoint))) return undefined;
  const behind = checkpoint === undefined ? {} : { checkpoint };
  if (gauge.by === 'bytes') {
    const { bytes: input, bytesLimit: limit = 0 } = gauge;
    return { tier, ratio: input / limit, limit, input, unit: 'bytes', ...behind };
  }
  const { input = 0, limit, ratio = 0 } = gauge;
  return { tier, ratio, limit, input, ...behind };
}

/** The fold of `pressure.crossed`: the highest tier behind one checkpoint. */
export function crossed(before: Crossed | undefined, { tier, checkpoint }: PressureCrossed): Crossed {
  return isAbove(saidBehind(before, checkpoint), tier) && before !== undefined ? before : { tier, checkpoint };
}

function saidBehind(said: Crossed | undefined, checkpoint: Crossed['checkpoint']): Crossed['tier'] {
  return said !== undefined && said.checkpoint === checkpoint ? said.tier : 'calm';
}
