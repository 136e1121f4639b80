// How soon a program has its first request ready, from the start of its process: 40 own tools, 100 skills on disk, a log on
// disk. Its sources are run as they stand, with Node's compile cache, as the command `tidemark` has it; once without.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createSimulator } from '@tidemark/simulator';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { installSkills } from '../installed-skills.ts';
import { untilFirstWord } from '../started-programs.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'first-prompt',
  against:
    "Node's own start, taken off: from the start of a process to its first request, recorded and about to go out",
  target: 300,
  unit: 'ms',
  run,
};

const ROUNDS = 11;
const SKILLS = 100;
const PROGRAM = fileURLToPath(new URL('../first-session.ts', import.meta.url));
/** Says something, and does nothing else. */
const NOTHING = ['-e', 'process.stdout.write("first")'];

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const skills = join(home, 'skills');
    await installSkills(skills, SKILLS);
    const arrivals: number[] = [];
    const simulator = createSimulator({ onRequest: () => void arrivals.push(performance.now()) });
    const listening = await simulator.listen();
    try {
      return await inTurns([PROGRAM, join(home, 'store'), skills, listening.url], join(home, 'compiled'), arrivals);
    } finally {
      await listening.close();
    }
  });
}

/** The three kinds of start take turns, so that a busy machine is as busy for each. The very first fills the cache. */
async function inTurns(program: readonly string[], cache: string, arrivals: readonly number[]): Promise<Measured> {
  const cached = { NODE_COMPILE_CACHE: cache };
  const uncached = { NODE_DISABLE_COMPILE_CACHE: '1' };
  await untilFirstWord(program, cached);
  const nothing: number[] = [];
  const ours: number[] = [];
  const arrived: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    nothing.push(await untilFirstWord(NOTHING));
    const began = performance.now();
    ours.push(await untilFirstWord(program, cached));
    arrived.push((arrivals.at(-1) ?? NaN) - began);
    plain.push(await untilFirstWord(program, uncached));
  }
  const own = median(nothing);
  return {
    ratio: median(ours) - own,
    details: {
      ownStartMs: own,
      firstRequestMs: median(ours),
      arrivedAtProviderMs: median(arrived),
      withoutCompileCacheMs: median(plain),
      rounds: ROUNDS,
    },
  };
}
