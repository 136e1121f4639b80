// Checks that must succeed for the replay of any recording. Each fault is reported as a sentence. An empty list means
// that all checks succeeded.

import type { Replayed } from './replay-rows.ts';
import { verifyAll } from './replay-rows.ts';

/** Names of all fields of a result. */
export const FIELDS: readonly string[] = [
  'billed',
  'breaks',
  'calls',
  'expiring',
  'expiringRatio',
  'forced',
  'forcedBy',
  'ideal',
  'misses',
  'ratio',
  'recorded',
  'recordedRatio',
  'refusals',
  'refused',
  'sessions',
  'sizes',
  'standIns',
  'tokens',
  'uncached',
  'warming',
];

/** Returns the faults of a replay as sentences: in its figures, in its calls and in its replayed logs. */
export async function faultsOf(replayed: Replayed): Promise<readonly string[]> {
  return [...faultsInFigures(replayed), ...faultsInCalls(replayed), ...(await faultsInLogs(replayed))];
}

function faultsInFigures({ result, recorded, calls, forks }: Replayed): readonly string[] {
  const faults = result.refusals.map(({ step, reason }) => `step ${step} was refused: ${reason}`);
  const tokens = recorded.reduce((sum, call) => sum + call.input, 0);
  if (Object.keys(result).toSorted().join() !== FIELDS.join()) faults.push(`fields ${Object.keys(result).join()}`);
  if (/NaN|Infinity|undefined/.test(JSON.stringify(result, numberAsText)))
    faults.push(`a figure is none: ${JSON.stringify(result)}`);
  if (result.calls !== recorded.length) faults.push(`${result.calls} calls of ${recorded.length}`);
  if (result.sizes === 'recorded totals' && result.tokens !== tokens)
    faults.push(`${result.tokens} tokens of ${tokens}`);
  if (result.breaks.unlabelled !== 0)
    faults.push(`${result.breaks.unlabelled} unlabelled breaks: ${JSON.stringify(result.breaks.list)}`);
  if ((result.expiringRatio ?? 0) > 1.02)
    faults.push(`expiring ratio ${result.expiringRatio}, forced ${JSON.stringify(result.forcedBy)}`);
  const floored = calls.some(({ row, recorded: { input } }) => input < (row.capabilities.floor ?? 0));
  // Recordings with forks are not checked here. If a fork starts between an answer and its results, the replay does not
  // contain the request that the parent had sent at that point.
  if (!floored && forks === 0 && result.billed < result.ideal * 0.98)
    faults.push(`billed ${result.billed} below the ideal ${result.ideal}`);
  for (const miss of result.misses)
    if (miss.cause === 'unknown') faults.push(`a miss of ${miss.tokens} at step ${miss.step} has no cause`);
  return faults;
}

function numberAsText(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? `${value}` : value;
}

function faultsInCalls({ calls }: Replayed): readonly string[] {
  return calls.flatMap(({ step, usage, recorded }) => {
    if (usage === undefined) return [];
    const input =
      (usage.fresh ?? 0) + (usage.read ?? 0) + (usage.writes ?? []).reduce((sum, write) => sum + write.tokens, 0);
    return recorded.input === 0 || input === recorded.input
      ? []
      : [`step ${step} was counted at ${input}, recorded at ${recorded.input}`];
  });
}

async function faultsInLogs(replayed: Replayed): Promise<readonly string[]> {
  const faults: string[] = [];
  const verified = await verifyAll(replayed);
  for (const { differences, breaks, problems } of verified) {
    for (const { step } of differences) faults.push(`step ${step} is not rebuilt`);
    for (const { step, cause } of breaks) if (cause === undefined) faults.push(`step ${step} breaks without a cause`);
    for (const problem of problems) faults.push(problem);
  }
  const requests = verified.reduce((sum, { requests: found }) => sum + found, 0);
  if (requests < replayed.result.calls) faults.push(`${requests} requests of ${replayed.result.calls} calls`);
  return faults;
}
