// How soon a program takes its first prompt, from the start of its process: 40 own tools, 100 skills on disk, a log on disk.
// It is joined with what it imports, as one is that is to start fast, and has Node's compile cache, as the command `tidemark`
// has it. Beside: until its first request is ready and about to go out; without that cache; with the packages as they are
// installed; from the sources of the house.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createSimulator } from '@tidemark/simulator';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { installSkills } from '../installed-skills.ts';
import { besideRelease } from '../installed-release.ts';
import { joinProgram } from '../joined-program.ts';
import { untilWords } from '../started-programs.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'first-prompt',
  against: "Node's own start, taken off: from the start of a joined program to its first prompt, taken and recorded",
  target: 300,
  unit: 'ms',
  run,
};

const ROUNDS = 11;
const SKILLS = 100;
const PROGRAM = fileURLToPath(new URL('../first-session.ts', import.meta.url));
/** Says something, and does nothing else. */
const NOTHING = ['-e', 'process.stdout.write("up")'];

/** A way to start, and when each of its starts took the prompt and was about to ask, in milliseconds. */
interface Way {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly seen: (readonly number[])[];
}

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const skills = join(home, 'skills');
    await installSkills(skills, SKILLS);
    const simulator = createSimulator();
    const listening = await simulator.listen();
    const given = [join(home, 'store'), skills, listening.url];
    const cached = { NODE_COMPILE_CACHE: join(home, 'compiled') };
    const way = (program: string, environment: Way['environment']): Way => ({
      args: [program, ...given],
      environment,
      seen: [],
    });
    try {
      const joined = await joinProgram(PROGRAM, 'first-session');
      const ways = {
        joined: way(joined, cached),
        uncached: way(joined, { NODE_DISABLE_COMPILE_CACHE: '1' }),
        installed: way(await besideRelease(PROGRAM), cached),
        sources: way(PROGRAM, cached),
      };
      return measured(ways, await inTurns(Object.values(ways)));
    } finally {
      await listening.close();
    }
  });
}

/** The ways take turns, so that a busy machine is as busy for each. Gives the starts of Node alone. */
async function inTurns(ways: readonly Way[]): Promise<readonly number[]> {
  const start = ({ args, environment }: Way): Promise<readonly number[]> =>
    untilWords(args, ['taken', 'asked'], environment);
  // The very first fill the cache.
  for (const way of ways) await start(way);
  const nothing: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    nothing.push(...(await untilWords(NOTHING, ['up'])));
    for (const way of ways) way.seen.push(await start(way));
  }
  return nothing;
}

function measured(
  ways: Readonly<Record<'joined' | 'uncached' | 'installed' | 'sources', Way>>,
  nothing: readonly number[],
): Measured {
  const own = median(nothing);
  const taken = ({ seen }: Way): number => median(seen.map(([at = NaN]) => at));
  const asked = ({ seen }: Way): number => median(seen.map(([, at = NaN]) => at));
  return {
    ratio: taken(ways.joined) - own,
    details: {
      ownStartMs: own,
      promptTakenMs: taken(ways.joined),
      firstRequestMs: asked(ways.joined),
      withoutCompileCacheMs: taken(ways.uncached),
      installedMs: taken(ways.installed),
      installedFirstRequestMs: asked(ways.installed),
      fromSourcesMs: taken(ways.sources),
      fromSourcesFirstRequestMs: asked(ways.sources),
      rounds: ROUNDS,
    },
  };
}
