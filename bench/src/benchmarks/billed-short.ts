// Measures the billed input of short sessions whose front is below a high floor. Compares padding by `auto`, which
// decides by expected cost, with the better of `always` and `never`.

import type { PaddingSetting } from '@tidemark/log';

import type { Benchmark, Measured } from '../benchmark.ts';
import { sum } from '../figures.ts';
import { shortSessions } from '../short-sessions.ts';

export const benchmark: Benchmark = {
  name: 'billed-short',
  against: 'the better of always and never padding; sessions of 2 to 5 calls, a floor of 4,096',
  target: 1.02,
  run,
};

async function run(): Promise<Measured> {
  const sessions = await shortSessions();
  const auto = sum(sessions.map(({ billed }) => billed.auto));
  const always = sum(sessions.map(({ billed }) => billed.always));
  const never = sum(sessions.map(({ billed }) => billed.never));
  const foreseen = sum(sessions.map(({ billed }) => Math.min(billed.always, billed.never)));
  return {
    ratio: auto / Math.min(always, never),
    details: {
      ...Object.fromEntries(sessions.map(({ name, billed }) => [name, inWords(billed)])),
      all: inWords({ auto, always, never }),
      'over the better setting of each row': auto / foreseen,
      'over written once and read, without a floor': auto / sum(sessions.map(({ ideal }) => ideal)),
    },
  };
}

function inWords({ auto, always, never }: Readonly<Record<PaddingSetting, number>>): string {
  return `auto ${Math.round(auto)}, always ${Math.round(always)}, never ${Math.round(never)}`;
}
