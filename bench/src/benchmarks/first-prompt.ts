// How soon a program has its first request ready, from the start of its process: 40 own tools, 100 skills on disk, a log on
// disk. Its sources are run as they stand, with Node's compile cache, as the command `tidemark` has it. Beside, without that
// cache; and with it the sources joined into one file, as a release would have them.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createSimulator } from '@tidemark/simulator';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { installSkills } from '../installed-skills.ts';
import { joinProgram } from '../joined-program.ts';
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
    const given = [join(home, 'store'), skills, listening.url];
    try {
      const joined = await joinProgram(PROGRAM, 'first-session');
      return await inTurns([PROGRAM, ...given], [joined, ...given], join(home, 'compiled'), arrivals);
    } finally {
      await listening.close();
    }
  });
}

/** The kinds of start take turns, so that a busy machine is as busy for each. The very first fill the cache. */
async function inTurns(
  program: readonly string[],
  joined: readonly string[],
  cache: string,
  arrivals: readonly number[],
): Promise<Measured> {
  const cached = { NODE_COMPILE_CACHE: cache };
  const uncached = { NODE_DISABLE_COMPILE_CACHE: '1' };
  await untilFirstWord(program, cached);
  await untilFirstWord(joined, cached);
  const nothing: number[] = [];
  const ours: number[] = [];
  const arrived: number[] = [];
  const plain: number[] = [];
  const inOneFile: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    nothing.push(await untilFirstWord(NOTHING));
    const began = performance.now();
    ours.push(await untilFirstWord(program, cached));
    arrived.push((arrivals.at(-1) ?? NaN) - began);
    plain.push(await untilFirstWord(program, uncached));
    inOneFile.push(await untilFirstWord(joined, cached));
  }
  const own = median(nothing);
  return {
    ratio: median(ours) - own,
    details: {
      ownStartMs: own,
      firstRequestMs: median(ours),
      arrivedAtProviderMs: median(arrived),
      withoutCompileCacheMs: median(plain),
      joinedInOneFileMs: median(inOneFile),
      rounds: ROUNDS,
    },
  };
}
