// Measures the billed input of recorded real sessions, replayed at their recorded times. `ratio` excludes costs that no
// engine could avoid, such as settings that the user changed. `expiring` is the ratio to an ideal whose entries expire
// after five minutes.

import type { Benchmark, Measured } from '../benchmark.ts';
import { sum } from '../figures.ts';
import type { RecordedSession } from '../recorded-sessions.ts';
import { recordedSessions } from '../recorded-sessions.ts';

export const benchmark: Benchmark = {
  name: 'billed-recorded',
  against: 'every new token written once, every old one read; all real recordings together',
  target: 1.03,
  run,
};

async function run(): Promise<Measured> {
  const sessions = await recordedSessions();
  const details = Object.fromEntries(sessions.map(describe));
  const real = sessions.filter((session) => session.real);
  if (real.length === 0) {
    return { ratio: null, details: { ...details, real: 'none on this machine: ../shared/transcripts is absent' } };
  }
  const billed = sum(real.map(({ result }) => result.billed - result.forced));
  const ideal = sum(real.map(({ result }) => result.ideal));
  return { ratio: billed / ideal, details };
}

function describe({ name, result, seconds }: RecordedSession): [string, string] {
  const { ratio, expiringRatio, recordedRatio, breaks, refused, calls } = result;
  const figures = [
    `${calls} calls: ratio ${ratio}, expiring ${expiringRatio}, as recorded ${recordedRatio}`,
    `unlabelled breaks ${breaks.unlabelled}, refused ${refused}, ${seconds.toFixed(1)} s`,
  ];
  return [name, figures.join('; ')];
}
