// Report of a run, and its check for a strict exit.

import { sumOfMoney } from '@tidemark/model';
import type { Core } from './core.ts';
import { SimulatorError } from './errors.ts';
import type { StepPlace } from './scenario.ts';
import type { RunTotals } from './tally.ts';

/** Totals of the calls of a run, and the differences from the scenario. */
export interface RunReport extends Readonly<Omit<RunTotals, 'unpriced' | 'cost'>> {
  /**
   * Tokens read from the cache divided by all input tokens of the answered calls, as a decimal with 4 digits, rounded
   * down. Absent if no input token was counted.
   */
  readonly hitRate?: string;
  /** Exact cost in US dollars. Absent if the price of a call is unknown. */
  readonly cost?: string;
  /** Models and days without a known price. */
  readonly unpriced: readonly string[];
  /** Steps of the scenario that were not used. */
  readonly unplayed: readonly StepPlace[];
}

/** Thresholds of a run, as decimals. */
export interface RunThresholds {
  /** Lowest hit rate, from 0 to 1. */
  readonly minHitRate?: number | string;
  /** Highest cost of all calls, in US dollars. */
  readonly maxCost?: number | string;
}

/** Returns the report of all calls since the start or the last reset. */
export function reportOf({ tally, play }: Pick<Core, 'tally' | 'play'>): RunReport {
  const { unpriced, cost, refused, rejected, misses, ...sums } = tally.totals;
  return {
    ...sums,
    ...(sums.input === 0 ? {} : { hitRate: rateText(sums.read, sums.input) }),
    ...(unpriced.size === 0 ? { cost } : {}),
    unpriced: [...unpriced],
    unplayed: play?.unplayed ?? [],
    refused: [...refused],
    rejected: [...rejected],
    misses: [...misses],
  };
}

function rateText(read: number, input: number): string {
  const digits = ((BigInt(read) * 10_000n) / BigInt(input)).toString().padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

/**
 * Returns the reasons why a run fails. The reasons are unused steps, calls that matched no step or route, missed
 * thresholds, and refusals and rejected requests that no fault planned. If a hit rate has no input, or if the cost is
 * unknown, the threshold is missed.
 *
 * @throws SimulatorError `simulator/bad-options` when a threshold is not a decimal.
 */
export function checkRun(report: RunReport, thresholds: RunThresholds = {}): readonly string[] {
  const { minHitRate, maxCost } = thresholds;
  return [
    ...report.unplayed.map((place) => `not played: ${placeText(place)}`),
    ...report.refused
      .filter(({ cause }) => cause !== 'fault')
      .map(({ call, cause, status, endpoint, message }) =>
        cause === 'unmatched'
          ? `call ${call} matched nothing: ${message}`
          : `call ${call} was refused: ${endpoint} ${status}: ${message}`,
      ),
    ...report.rejected.map(({ path, status, message }) => `a request was refused: ${path} ${status}: ${message}`),
    ...(minHitRate === undefined ? [] : hitRateProblem(report, decimalOf('minHitRate', minHitRate))),
    ...(maxCost === undefined ? [] : costProblem(report, decimalOf('maxCost', maxCost))),
  ];
}

/** Returns the name of a step for people: `step 2`, or `step 2 of main` for a step of the route `main`. */
export function placeText({ route, step }: StepPlace): string {
  return route === undefined ? `step ${step}` : `step ${step} of ${route}`;
}

const DECIMAL = /^\d{1,12}(?:\.\d{1,20})?$/;

/** Returns a number as text with all its digits, at most 20 after the point, for example `2 / 3` or `1e-9`. */
function decimalOf(name: string, value: number | string): string {
  const text = typeof value === 'number' && value < 1e-6 && value > 0 ? value.toFixed(20) : String(value);
  if (DECIMAL.test(text) && (name !== 'minHitRate' || Number(text) <= 1)) return text;
  const problem = `${name}: ${JSON.stringify(text)} is not a decimal${name === 'minHitRate' ? ' from 0 to 1' : ''}`;
  throw new SimulatorError('simulator/bad-options', `The run cannot be checked: ${problem}.`, { problems: [problem] });
}

function hitRateProblem({ read, input, hitRate }: RunReport, wanted: string): readonly string[] {
  if (hitRate === undefined) return [`hit rate: no call was answered, but at least ${wanted} is required`];
  const [whole = '0', part = ''] = wanted.split('.');
  const enough = BigInt(read) * 10n ** BigInt(part.length) >= BigInt(whole + part) * BigInt(input);
  return enough ? [] : [`hit rate: ${read} of ${input} input tokens were read (${hitRate}), less than ${wanted}`];
}

function costProblem({ cost, unpriced }: RunReport, limit: string): readonly string[] {
  if (cost === undefined) return [`cost: unknown, because there is no price for ${unpriced.join(', ')}`];
  return sumOfMoney([limit, `-${cost}`]).startsWith('-') ? [`cost: $${cost}, more than $${limit}`] : [];
}
