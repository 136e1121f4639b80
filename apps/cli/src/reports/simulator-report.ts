// Formats the report of a run of the simulator, for people and as JSON.

import type { RunReport, RunThresholds } from '@tidemark/simulator';
import { checkRun, placeText } from '@tidemark/simulator';

import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Returns the reasons why a run fails. Without `strict`, only the thresholds are checked. */
export function problemsOf(report: RunReport, thresholds: RunThresholds, strict: boolean): readonly string[] {
  return checkRun(strict ? report : { ...report, unplayed: [], refused: [], rejected: [] }, thresholds);
}

/** Returns the report as JSON, with `ok` and the reasons of a failure. `command` is the exit code of the command. */
export function reportValue(report: RunReport, problems: readonly string[], command: number | undefined): object {
  return { ok: problems.length === 0, problems, ...(command === undefined ? {} : { command }), report };
}

/** Maximum number of lines of one kind. */
const MAX_LINES = 20;

/** Returns the report for people: the totals, the scenario steps that were not used, the misses, and the failures. */
export function showReport(report: RunReport, problems: readonly string[]): Shown {
  const { calls, answered, input, read, hitRate = 'unknown', cost, unpriced, unplayed, misses } = report;
  const price = cost === undefined ? `unknown (no price for ${unpriced.join(', ')})` : `$${cost}`;
  const lines = [
    `calls: ${calls}, answered ${answered}`,
    `hit rate: ${hitRate} (${read} of ${input} input tokens)`,
    `cost: ${price}`,
    ...firstOf(unplayed.map((place) => `not played: ${placeText(place)}`).filter((line) => !problems.includes(line))),
    ...firstOf(misses.map(({ call, model, cause = 'unknown' }) => `miss: call ${call} (${model}): ${cause}`)),
  ];
  const failures = firstOf(problems).flatMap((problem) => ['\n', withStyle('red', 'failed'), `: ${problem}`]);
  return [withStyle('bold', 'simulator'), '\n', lines.join('\n'), ...failures];
}

function firstOf(lines: readonly string[]): readonly string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`];
}
