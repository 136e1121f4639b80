// Compaction as a transaction: it is planned, written, judged with its real size, and recorded. The record alone has no
// effect. Packing changes only when the next request opens an epoch. After a crash the context is therefore either the
// old one or the new one.

import { defined } from '@tidemark/core';
import type { CompactionSizes } from '@tidemark/context';
import type { CompactionRefused, HistoryCompacted, Log, Position, SessionId, TurnId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { AgentError } from '../errors.ts';
import type { ForkPlan } from '../fork/plan-fork.ts';
import { beginFork, planFork } from '../fork/plan-fork.ts';
import type { CompactionReport } from '../ports/compaction.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Session } from '../session/session.ts';
import { commitInside, readFold } from '../session/session.ts';
import type {
  CompactionOrder,
  CompactionWriting,
  Help,
  ReadHistory,
  WritingOrder,
  WrittenCompaction,
} from './write-compaction.ts';
import { writeCompaction } from './write-compaction.ts';

/** Session and runtime of a compaction, and the turn to which the compaction belongs. */
export interface Compacting extends CompactionWriting {
  readonly session: Session;
  readonly turn?: TurnId;
}

/**
 * Compacts the history. Tries one plan after the other, and each plan keeps less history. If even the last plan frees
 * too little, returns a refusal with the sizes.
 *
 * @throws AgentError `agent/conflict` if the history was packed again while the compaction was written.
 * @throws what the store throws.
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
  const data: CompactionRefused = { trigger, reason: refused, sizes: flatSizes(sizes) };
  const at = runtime.surroundings.now();
  const event = { kind: 'compaction.refused', at, ...defined({ turn }), data } as const;
  if (!dryRun) await session.mutex.pass(() => commitInside(session, [event]));
  return report;
}

function flatSizes({ before, after, hard, parts }: CompactionSizes): CompactionRefused['sizes'] {
  return { before, after, hard, ...parts };
}

/**
 * If the history was packed again after the planning, the plan no longer matches the history. In this case throws
 * `agent/conflict` and records nothing.
 */
function append(
  { session, runtime, turn }: Compacting,
  planned: Session['state'],
  data: HistoryCompacted,
): Promise<Position> {
  return session.mutex.pass(async () => {
    const { compacted, epoch } = session.state;
    if (compacted?.position !== planned.compacted?.position || epoch?.position !== planned.epoch?.position)
      throw conflictError(session);
    const at = runtime.surroundings.now();
    const event = { kind: 'history.compacted', at, ...defined({ turn }), data } as const;
    const [recorded] = await commitInside(session, [event]);
    if (recorded === undefined) throw conflictError(session);
    return recorded.position;
  });
}

function conflictError({ writer }: Session): AgentError {
  const message = `session ${writer.session} changed while it was being compacted, by another compaction or a new epoch: compact again`;
  return new AgentError('agent/conflict', message);
}

/**
 * Source of a fresh start: the log that contains the session. The session is only read. It may be open in another
 * process.
 */
export interface FreshStart {
  readonly log: Log;
  readonly session: SessionId;
  readonly secrets?: Secrets;
  readonly runtime: CompactionWriting['runtime'];
  readonly price?: CompactionWriting['price'];
}

/** Options of a fresh start: the question to a model, `dryRun`, and the limit of the checkpoint. */
export type FreshOrder = Pick<CompactionOrder, 'ask' | 'optional' | 'dryRun' | 'checkpoint'>;

/**
 * Creates a closed fork that begins with a checkpoint. The report contains the id of the fork. A refusal creates no
 * fork. If a model is asked, its calls are recorded in the original session, which otherwise gets no new records.
 *
 * @throws AgentError `agent/nothing-to-send` for a session that has sent no request; `agent/not-closed` if the session
 *   has no record after which a fork can begin.
 * @throws LogError as the store does.
 */
export async function startAfresh(from: FreshStart, order: FreshOrder): Promise<CompactionReport> {
  const first = await writeFrom(from, order);
  const help = first.written.data === undefined ? undefined : first.written.help;
  // The call to the model was recorded after the planned end of the fork. The fork is therefore planned again and
  // begins after that call. It then contains the record of the call and its cost.
  const { plan, written } = help === undefined ? first : await writeFrom(from, { ...order, help });
  const { trigger } = MANUAL;
  if (written.data === undefined) {
    const { refused, sizes } = written;
    return { outcome: 'refused', trigger, strategy: 'deterministic', sizes, refused };
  }
  const { data: compacted, report } = written;
  if (order.dryRun === true) return report;
  const { log, runtime, secrets } = from;
  const { surroundings } = runtime;
  const id = sessionId(surroundings.newName());
  const beginning = defined({ id, at: surroundings.now(), compacted, secrets });
  const fork = await beginFork(log, plan, beginning);
  try {
    await fork.writer.sync();
    const { compacted: recorded } = fork.state;
    return { ...report, outcome: 'compacted', fork: id, ...defined({ position: recorded?.position }) };
  } finally {
    await fork.writer.close();
  }
}

const MANUAL = { trigger: 'manual', alone: true } as const;

interface WrittenFork {
  readonly plan: ForkPlan;
  readonly written: WrittenCompaction;
}

async function writeFrom(
  { log, session: id, runtime, price }: FreshStart,
  order: FreshOrder & Pick<WritingOrder, 'help'>,
): Promise<WrittenFork> {
  const plan = await planFork(log, id);
  const session = await readUpTo(log, id, plan);
  const help = order.help && heldIn(plan, order.help);
  const all = { ...order, ...MANUAL, adds: [whereItIs(plan)], ...defined({ help }) };
  return { plan, written: await writeCompaction({ session, runtime, price }, all) };
}

/**
 * Removes from `made.requests` the positions of the requests that the fork does not contain. If calls of a turn are
 * open, the request to the model is recorded after the end of the fork. In the fork, that position belongs to a
 * different record.
 */
function heldIn({ parent }: ForkPlan, { made, ...help }: Help): Help {
  if (made === undefined) return help;
  return { ...help, made: { ...made, requests: made.requests.filter((at) => at <= parent.position) } };
}

async function readUpTo(log: Log, id: SessionId, { parent }: ForkPlan): Promise<ReadHistory> {
  const { fold } = await readFold(log, id, parent.position + 1);
  if (fold.state.epoch !== undefined) return { log, writer: { session: id }, ...fold };
  const message = `session ${id} has sent no request yet, so there is no history to start from: send a prompt first`;
  throw new AgentError('agent/nothing-to-send', message, { session: id });
}

/**
 * Returns a text for the checkpoint of the fork. The text names the original session. The fork's tools can read the records
 * of both sessions.
 */
function whereItIs({ of, parent: { position } }: ForkPlan): string {
  return `This session starts with this checkpoint. The whole conversation before it is session ${of}, records 0 to ${position}; the log of this session begins with the same records.`;
}
