// Plans a smoke test and its maximum cost before anything is sent. If the cost exceeds the limit, nothing is sent.

import type { Capabilities } from '@tidemark/model';

import { CliError } from '../frame/failure.ts';
import { dollars } from '../frame/numbers.ts';
import { NEEDED, PROBES } from './measure.ts';
import { MAX_DOLLARS, mostFor, mostForCall } from './price.ts';
import { PROMOTION_CALLS } from './promotion.ts';

/** Calls that a smoke test will make, with their maximum cost. If the cost exceeds the limit, nothing is sent. */
export interface SmokePlan {
  readonly calls: number;
  /** Names of the calls that are omitted because of the price limit. */
  readonly leftOut: readonly string[];
  /** Estimated input tokens of each call. */
  readonly tokens: number;
  /** Maximum cost in US dollars. Absent if the calls are free. */
  readonly most?: string;
}

export interface SmokePlanInput {
  readonly row: Capabilities;
  readonly simulated: boolean;
  readonly promotion: boolean;
  readonly tokens: number;
  /** Day for the prices, as `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * Returns the plan of a smoke test.
 *
 * @throws CliError `cli/refused` when the cost exceeds the limit or the price is unknown. Also when a promotion test
 * needs a second cache lifetime and the model has only one.
 */
export function planSmoke(input: SmokePlanInput): SmokePlan {
  const { row, simulated, promotion, tokens, day } = input;
  if (promotion && !(row.ttls.includes('5m') && row.ttls.includes('1h'))) throw noSecondLife(row);
  const wanted = promotion ? PROMOTION_CALLS : PROBES.length;
  if (simulated) return { calls: wanted, leftOut: [], tokens };
  const each = mostForCall(row, tokens, day, promotion ? '1h' : '5m');
  if (each === undefined) throw unknownPrice(row);
  const calls = Math.min(wanted, Math.floor(MAX_DOLLARS / Number(each)));
  if (calls < (promotion ? PROMOTION_CALLS : NEEDED))
    throw tooDear(row, mostFor(promotion ? PROMOTION_CALLS : NEEDED, each));
  return { calls, leftOut: promotion ? [] : PROBES.slice(calls), tokens, most: mostFor(calls, each) };
}

function noSecondLife({ model }: Capabilities): CliError {
  const message = `${model} does not have both five-minute and one-hour cache entries, so there is nothing to promote`;
  return new CliError('cli/refused', message, 'select a model of Anthropic with `--model`');
}

function unknownPrice({ model }: Capabilities): CliError {
  const message = `the price of ${model} is unknown, so the limit of $${MAX_DOLLARS} cannot be checked`;
  return new CliError(
    'cli/refused',
    message,
    'use another `--model`, or add its prices to catalog.json in the Tidemark home',
  );
}

function tooDear({ model }: Capabilities, most: string): CliError {
  const message = `a smoke test of ${model} may cost ${dollars(most)}, which is above the limit of $${MAX_DOLLARS}`;
  return new CliError('cli/refused', message, 'remove `--model`: the cheapest model has the same rules');
}
