// Startup time: from the start of a process until its program takes the first prompt. The program has 40 custom tools,
// 100 skills on disk and a log on disk. It is bundled with its imports, as a program that must start fast would be, and
// uses Node's compile cache, as the command `tidemark` does. The details contain four more times: until the first
// request is about to be sent, without the compile cache, with the packages as installed, and from the repository's
// sources.

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
  against: 'the start of Node, which is subtracted: from the start of a bundled program to its first recorded prompt',
  target: 300,
  unit: 'ms',
  run,
};

const ROUNDS = 11;
const SKILLS = 100;
const PROGRAM = fileURLToPath(new URL('../first-session.ts', import.meta.url));
/** Arguments of a process that only prints a word. Its time is Node's own startup time. */
const NOTHING = ['-e', 'process.stdout.write("up")'];

/**
 * A way to start the program. `seen` has, for each start, the milliseconds until it took the prompt and until it was
 * about to send the request.
 */
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

/**
 * Starts the program in each way in turn, so that the load of the machine affects all ways equally. Returns the startup
 * times of Node alone.
 */
async function inTurns(ways: readonly Way[]): Promise<readonly number[]> {
  const start = ({ args, environment }: Way): Promise<readonly number[]> =>
    untilWords(args, ['taken', 'asked'], environment);
  // The first starts fill the compile cache and are not measured.
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
