// Computes the cost of each turn of a session from the simulator's ledger, and finds the epochs of the turn in the log.

import type { Log, SessionId, Usage } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { allWritten, costOf, inputTokens, priceAt, sumOfMoney } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

import { usageOf } from '../bill-calls.ts';
import { largest, median } from '../figures.ts';
import type { PlayedSession } from './play-prompts.ts';

/** Tokens of some calls by bucket, and their cost in US dollars. */
export interface CallsCost {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly answer: number;
  /** Cost as exact decimal text. */
  readonly dollars: string;
}

/** Cost of one turn. */
export interface TurnCost extends CallsCost {
  /** Number of main-stream requests. */
  readonly steps: number;
  /** Number of calls to the model, including side calls. */
  readonly calls: number;
  /** Causes of the epochs that the turn opened, in order. */
  readonly epochs: readonly string[];
  readonly compacted: boolean;
  /** Input tokens of the largest call. */
  readonly fullest: number;
}

/**
 * The most expensive turn without a compaction, compared with the median of the turns without one. Costs are in US
 * dollars.
 */
export interface DearestTurn {
  /** Cost of the most expensive turn divided by the median. Undefined if each turn has a compaction. */
  readonly ratio: number | undefined;
  readonly dearest: number;
  readonly median: number;
}

/**
 * Returns the cost of each turn.
 * @throws Error for a call that was refused or has no price.
 */
export async function turnCosts(
  { log, id, calls }: Pick<PlayedSession, 'log' | 'id' | 'calls'>,
  capabilities: Capabilities,
): Promise<readonly TurnCost[]> {
  const turns = await turnsIn(log, id);
  return turns.map(({ steps, epochs, compacted }, turn) => {
    const made = calls[turn] ?? [];
    const inputs = made.map((call) => inputTokens(usageOf(call, capabilities)) ?? 0);
    const fullest = largest([0, ...inputs]);
    return { ...costOfCalls(made, capabilities), steps, calls: made.length, epochs, compacted, fullest };
  });
}

/**
 * Returns the total cost of the calls.
 * @throws Error for a call that was refused or has no price.
 */
export function costOfCalls(calls: readonly LedgerCall[], capabilities: Capabilities): CallsCost {
  let total: CallsCost = { fresh: 0, read: 0, written: 0, answer: 0, dollars: '0' };
  for (const call of calls) {
    const usage: Usage = { ...usageOf(call, capabilities), answer: call.usage?.output_tokens ?? 0 };
    const day = new Date(call.at).toISOString().slice(0, 10);
    const price = priceAt(capabilities, day, inputTokens(usage) ?? 0);
    const cost = price && costOf(price, usage);
    if (cost === undefined) throw new Error(`a call of ${capabilities.model} has no price`);
    total = {
      fresh: total.fresh + (usage.fresh ?? 0),
      read: total.read + (usage.read ?? 0),
      written: total.written + (allWritten(usage) ?? 0),
      answer: total.answer + (usage.answer ?? 0),
      dollars: sumOfMoney([total.dollars, cost.total]),
    };
  }
  return total;
}

/**
 * Compares the most expensive turn with the median turn. Turns with a compaction are excluded from both, because they
 * would change the median and are reported separately.
 */
export function dearestTurn(turns: readonly TurnCost[]): DearestTurn {
  const plain = turns.filter(({ compacted }) => !compacted).map(({ dollars }) => Number(dollars));
  if (plain.length === 0) return { ratio: undefined, dearest: 0, median: 0 };
  const middle = median(plain);
  return { ratio: largest(plain) / middle, dearest: largest(plain), median: middle };
}

interface LoggedTurn {
  steps: number;
  epochs: string[];
  compacted: boolean;
}

async function turnsIn(log: Log, id: SessionId): Promise<readonly LoggedTurn[]> {
  const turns: LoggedTurn[] = [];
  let pruned = '';
  for await (const { kind, data } of log.read(id)) {
    if (kind === 'turn.started') turns.push({ steps: 0, epochs: [], compacted: false });
    const turn = turns.at(-1);
    if (turn === undefined) continue;
    if (kind === 'request.prepared' && data.stream === 'main') turn.steps += 1;
    if (kind === 'history.compacted') turn.compacted = true;
    if (kind === 'history.pruned') pruned = ` (${data.cause}, ${data.tier ?? 'unknown'})`;
    if (kind !== 'epoch.opened') continue;
    turn.epochs.push(data.cause === 'pruning' ? `${data.cause}${pruned}` : data.cause);
  }
  return turns;
}
