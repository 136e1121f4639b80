// A compaction as a transaction: planned, made, judged with its real size, and recorded. The record is inert: the epoch that
// opens with the next request alone changes packing, so that a cut anywhere leaves the old context or the new one.

import type { CompactionRefused, HistoryCompacted, Position, TurnId } from '@tidemark/log';
import type { CompactionSizes } from '@tidemark/context';
import { AgentError } from '../errors.ts';
import type { Session } from '../session/session.ts';
import { commitInside } from '../session/session.ts';
import type { CompactionOrder, CompactionReport, CompactionWriting, WrittenCompaction } from './write-compaction.ts';
import { writeCompaction } from './write-compaction.ts';

/** What it is done with. */
export interface Compacting extends CompactionWriting {
  readonly session: Session;
  readonly turn?: TurnId;
}

/**
 * Compacts, down the ladder, or refuses with the sizes.
 *
 * @throws AgentError `agent/conflict` where the history was packed anew meanwhile, and what the store throws.
 */
export async function compactSession(compacting: Compacting, order: CompactionOrder): Promise<CompactionReport> {
  const planned = compacting.session.state;
  const written = await writeCompaction(compacting, order);
  if (written.data === undefined) return refuse(compacting, order, written);
  if (order.dryRun === true) return written.report;
  const position = await append(compacting, planned, written.data);
  return { ...written.report, outcome: 'compacted', position };
}

async function refuse(
  { session, runtime, turn }: Compacting,
  { trigger, dryRun = false }: CompactionOrder,
  { refused, sizes }: Extract<WrittenCompaction, { readonly data?: undefined }>,
): Promise<CompactionReport> {
  const report = { outcome: 'refused', trigger, strategy: 'deterministic', sizes, refused } as const;
  if (refused === 'interrupted') return report;
  const data: CompactionRefused = { trigger, reason: refused, sizes: flat(sizes) };
  const at = runtime.surroundings.now();
  const event = { kind: 'compaction.refused', at, ...(turn !== undefined && { turn }), data } as const;
  if (!dryRun) await session.mutex.pass(() => commitInside(session, [event]));
  return report;
}

function flat({ before, after, hard, parts }: CompactionSizes): CompactionRefused['sizes'] {
  return { before, after, hard, ...parts };
}

/** Appended where nobody packs anew in between: what was planned is what the record says. */
function append(
  { session, runtime, turn }: Compacting,
  planned: Session['state'],
  data: HistoryCompacted,
): Promise<Position> {
  return session.mutex.pass(async () => {
    const { compacted, epoch } = session.state;
    if (compacted?.position !== planned.compacted?.position || epoch?.position !== planned.epoch?.position)
      throw overtaken(session);
    const at = runtime.surroundings.now();
    const event = { kind: 'history.compacted', at, ...(turn !== undefined && { turn }), data } as const;
    const [recorded] = await commitInside(session, [event]);
    if (recorded === undefined) throw overtaken(session);
    return recorded.position;
  });
}

function overtaken({ writer }: Session): AgentError {
  const message = `the history of session ${writer.session} was packed anew while it was being compacted: ask again`;
  return new AgentError('agent/conflict', message);
}
