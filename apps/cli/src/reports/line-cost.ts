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

/** Returns true if the record ends a turn whose cost is only partly known. */
export function hidesCost(record: Recorded): boolean {
  if (record.kind !== 'turn.ended') return false;
  const { totals } = record.data;
  return totals?.cost === undefined && totals?.taken?.cost !== undefined;
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

/** The log of a fork begins with records of its parent, whose cost the parent paid. */
async function readOwnCost(log: Log, session: SessionId, until?: string): Promise<OwnCost> {
  let own = NOTHING;
  let created: OwnCost['created'];
  for await (const record of log.read(session)) {
    if (record.kind === 'session.created') [own, created] = [NOTHING, record];
    else if (until === undefined || record.at <= until) {
      const cost = costIn(record);
      own = addCosts(own, { cost: money(cost ?? '0'), more: hidesCost(record) });
    }
  }
  return { own, created };
}
