// Cost of a session and of its line: the sessions that it continues, until it was forked from them.

import type { Log, Money, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { LogError, money } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';

/** Known cost. `more` is true if a part of it is unknown, so that `cost` is a lower bound. */
export interface KnownCost {
  readonly cost: Money;
  readonly more: boolean;
}

const NOTHING: KnownCost = { cost: money('0'), more: false };

/** Returns the sum of two costs. */
export function addCosts(a: KnownCost, b: KnownCost): KnownCost {
  return { cost: money(sumOfMoney([a.cost, b.cost])), more: a.more || b.more };
}

/**
 * Returns the known cost in a record: of a call to the model, of a request that a tool sent to a service, or of an
 * ended subagent with its own calls. Returns `undefined` for a record without a cost.
 */
export function costIn(record: Recorded): string | undefined {
  switch (record.kind) {
    case 'answer.received':
    case 'answer.interrupted':
    case 'tool.charged':
      return record.data.cost;
    case 'subagent.ended':
      return record.data.totals?.cost ?? record.data.cost;
    default:
      return undefined;
  }
}

/**
 * Returns true if a part of the cost is unknown from this record on: it ends a turn or a call whose cost is only partly
 * known, or it repeats a request of `sent`, which was cut off.
 */
export function hidesCost(record: Recorded, sent: readonly string[]): boolean {
  switch (record.kind) {
    case 'turn.ended': {
      const { totals } = record.data;
      return totals?.cost === undefined && totals?.taken?.cost !== undefined;
    }
    case 'answer.received':
    case 'answer.interrupted': {
      const { cost, costAtMost, estimated } = record.data;
      return cost === undefined && (costAtMost ?? estimated?.cost) !== undefined;
    }
    case 'request.prepared':
      return sent.includes(record.data.stream);
    default:
      return false;
  }
}

/**
 * Returns the streams whose request has no recorded end after this record. `sent` are those before it. A request of
 * unknown price is not among them. The first records of a fork belong to its parent.
 */
export function sentAfter(sent: readonly string[], record: Recorded): readonly string[] {
  switch (record.kind) {
    case 'session.created':
      return [];
    case 'request.prepared': {
      const { stream, forecast } = record.data;
      return forecast.cost === undefined || sent.includes(stream) ? sent : [...sent, stream];
    }
    case 'answer.received':
    case 'answer.interrupted':
    case 'answer.failed': {
      const { stream } = record.data;
      return sent.includes(stream) ? sent.filter((one) => one !== stream) : sent;
    }
    default:
      return sent;
  }
}

/** Cost of a session, with its subagents, and the cost of the sessions that it continues. */
export interface LineCost {
  readonly own: KnownCost;
  /** Cost of the sessions before it, until it was forked from them. Absent for a session that is not a fork. */
  readonly before?: KnownCost;
}

/**
 * Reads the cost of a session and of its line.
 *
 * @throws LogError as the store does.
 */
export async function readLineCost(log: Log, session: SessionId): Promise<LineCost> {
  const { own, created } = await readOwnCost(log, session);
  return created?.data.parent === undefined ? { own } : { own, before: await costBefore(log, created) };
}

/**
 * Returns the cost of the sessions that a fork continues, until the fork was created. It also contains what was paid for
 * the part that the fork leaves out, so the cost of a line never falls. If a session of the line cannot be read, the
 * result is a lower bound.
 */
export async function costBefore(log: Log, { data, at }: RecordedOf<'session.created'>): Promise<KnownCost> {
  let sum = NOTHING;
  let [parent, until] = [data.parent, at];
  while (parent !== undefined) {
    const before = await ownCostUntil(log, parent.session, until);
    if (before === undefined) return { ...sum, more: true };
    sum = addCosts(sum, before.own);
    if (before.created === undefined) return sum;
    [parent, until] = [before.created.data.parent, before.created.at];
  }
  return sum;
}

interface OwnCost {
  readonly own: KnownCost;
  readonly created: RecordedOf<'session.created'> | undefined;
}

async function ownCostUntil(log: Log, session: SessionId, until: string): Promise<OwnCost | undefined> {
  try {
    return await readOwnCost(log, session, until);
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}

/**
 * The log of a fork begins with records of its parent, whose cost the parent paid. A request without a recorded end was
 * cut off, or its answer is still arriving, so its cost is unknown.
 */
async function readOwnCost(log: Log, session: SessionId, until?: string): Promise<OwnCost> {
  let own = NOTHING;
  let created: OwnCost['created'];
  let sent: readonly string[] = [];
  for await (const record of log.read(session)) {
    const isBefore = until === undefined || record.at <= until;
    if (record.kind === 'session.created') [own, created] = [NOTHING, record];
    else if (isBefore) own = addCosts(own, { cost: money(costIn(record) ?? '0'), more: hidesCost(record, sent) });
    if (isBefore || record.kind !== 'request.prepared') sent = sentAfter(sent, record);
  }
  return { own: sent.length === 0 ? own : { ...own, more: true }, created };
}
