// Breaks in the scripted and recorded sessions: requests that do not extend the previous request although no epoch
// opened, and requests that `verify` could not rebuild.

import type { Benchmark, Measured } from '../benchmark.ts';
import { sum } from '../figures.ts';
import { recordedSessions } from '../recorded-sessions.ts';
import { pausedSessions, providerSessions } from '../scripted-sessions.ts';

export const benchmark: Benchmark = {
  name: 'breaks',
  against: '0: breaks without an event, and rebuilt bodies that differ from the sent ones',
  target: 0,
  run,
};

async function run(): Promise<Measured> {
  const scripted = [...(await providerSessions()), ...(await pausedSessions())];
  const recorded = await recordedSessions();
  const unlabelledScripted = sum(scripted.map(({ driven }) => driven.unlabelled));
  const unlabelledRecorded = sum(recorded.map(({ result }) => result.breaks.unlabelled));
  const differences = sum(scripted.map(({ driven }) => driven.differences));
  const calls = sum([...scripted.map(({ driven }) => driven.calls), ...recorded.map(({ result }) => result.calls)]);
  return {
    ratio: unlabelledScripted + unlabelledRecorded + differences,
    details: { calls, unlabelledScripted, unlabelledRecorded, differences },
  };
}
