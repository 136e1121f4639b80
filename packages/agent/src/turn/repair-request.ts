// A request that was refused for what it holds: what was refused is put aside in the log, and the same step is asked again in
// an epoch that packs a stub in its place.

import type { Event } from '@tidemark/log';
import type { ProviderError } from '@tidemark/model';
import { quarantinesFor } from '../decide/quarantine.ts';
import type { Prepared } from '../request/prepare.ts';
import { commit } from '../session/session.ts';
import type { TurnContext } from './turn-context.ts';

/** What mends a refused request: the facts to record, none where it only has to go out whole. */
export type RequestRepair = readonly Event[];

/** The repair; nothing where none is known. */
export function repairFor(
  work: TurnContext,
  { record, continues }: Prepared,
  error: ProviderError,
): RequestRepair | undefined {
  const { session, lines, runtime, turn } = work;
  const { main } = lines;
  const { refused } = error.data;
  if (main === undefined || (refused === undefined && error.code !== 'provider/too-large')) return undefined;
  // A place in a request that went on from an answer is counted from there: whole, it says where it means.
  if (continues !== undefined && refused?.message !== undefined) return [];
  const { state, progress } = session;
  const { bytes } = record.data;
  const found = quarantinesFor({ state, line: main, bytes, error, repairs: progress.repairs });
  const at = runtime.surroundings.now();
  return found.length === 0 ? undefined : found.map((data) => ({ kind: 'block.quarantined', at, turn, data }));
}

/** Records the repair, and says it. */
export async function repairRequest(
  { session, lines, tell }: Pick<TurnContext, 'session' | 'lines' | 'tell'>,
  repair: RequestRepair,
  error: ProviderError,
): Promise<void> {
  delete lines.heard;
  if (repair.length === 0) return;
  await commit(session, repair);
  const places = repair.flatMap((event) => (event.kind === 'block.quarantined' ? [event.data.origin.position] : []));
  const notice = {
    code: 'turn/quarantined',
    message: `${error.message}. Left out from now on: ${places.length} of the blocks of event ${[...new Set(places)].join(', ')}`,
    next: 'The step is sent again without them; what they held stays in the log.',
  };
  tell({ type: 'notice.raised', notice });
}
