// A side call that was refused for what the conversation holds: the block is put aside as for a step of a turn, and the call
// is asked again in an epoch that packs a stub in its place. What its own words hold is for its caller to change.

import { slice } from '@tidemark/context';
import type { ContentPart } from '@tidemark/log';
import type { ProviderError } from '@tidemark/model';
import { quarantinesFor } from '../decide/quarantine.ts';
import type { Prepared } from '../request/prepare.ts';
import type { Actor } from './actor.ts';
import type { SideCall } from './live-session.ts';
import type { RequestRepair } from './repair-request.ts';

/** A side call that may be mended. */
export interface Mendable extends Pick<SideCall, 'history'> {
  readonly words: readonly ContentPart[];
  /** Set for a call that is sent once. */
  readonly keeps?: string;
}

/** A side call as it was refused. */
export interface RefusedBeside {
  readonly prepared: Prepared;
  readonly error: ProviderError;
  /** How often it was mended before. */
  readonly repairs: number;
  /** Blocks of its body that are the conversation's; its own words stand behind them. */
  readonly shared: number;
}

/**
 * The facts to record before it is asked again, none where they are recorded already; nothing where the failure stands. While
 * an answer of the conversation is on its way it stands: that request holds the same block, and mends it.
 */
export function repairBeside(
  { session, lines, runtime }: Pick<Actor, 'session' | 'lines' | 'runtime'>,
  { history, words, keeps }: Mendable,
  { prepared, error, repairs, shared }: RefusedBeside,
): RequestRepair | undefined {
  const { state } = session;
  const { refused: place } = error.data;
  const isOurs = place !== undefined || error.code === 'provider/too-large';
  if (history !== 'main' || keeps !== undefined || !isOurs || state.history.inFlight) return undefined;
  if (place?.message === undefined && words.some(({ type }) => type === 'image')) return undefined;
  const blocks = slice(prepared.sequence.blocks);
  const located = place?.message === undefined ? [] : (runtime.provider.encoder.locate?.(place, blocks) ?? []);
  if (lines.main === undefined || located.some((index) => index >= shared)) return undefined;
  // Others may have put it aside meanwhile.
  if (state.quarantines.some(({ position }) => position > prepared.record.position)) return [];
  if (state.epoch?.opened.number !== prepared.epoch.number) return undefined;
  const { bytes } = prepared.record.data;
  const found = quarantinesFor({ state, line: lines.main, bytes, error, repairs });
  const at = runtime.surroundings.now();
  return found.length === 0 ? undefined : found.map((data) => ({ kind: 'block.quarantined', at, data }));
}
