// Start time of the interactive terminal: from the start of `tidemark` at a terminal until its prompt is drawn. The
// command is the released one, with Node's compile cache, as a user starts it for the second time. A key is set, and no
// request is sent. The details contain the time from the repository's sources.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Benchmark, Measured } from '../benchmark.ts';
import { median } from '../figures.ts';
import { releasedCommand } from '../installed-release.ts';
import { untilShown } from '../shown-programs.ts';
import { withTemporaryHome } from '../temporary-home.ts';

export const benchmark: Benchmark = {
  name: 'terminal-start',
  against: 'the start of Node in the same terminal, which is subtracted: from the start of `tidemark` to its prompt',
  target: 300,
  unit: 'ms',
  run,
};

const ROUNDS = 20;
/** Matches the sign before the prompt at the beginning of a row. */
const PROMPT = /^[>❯›]/m;
/** Arguments of a process that only draws such a sign. Its time is Node's own startup time. */
const NOTHING = ['-e', 'process.stdout.write("> ")'];
const SOURCE = fileURLToPath(new URL('../../../apps/cli/bin/tidemark.cjs', import.meta.url));

async function run(): Promise<Measured> {
  return withTemporaryHome(async (home) => {
    const environment = { HOME: home, TIDEMARK_HOME: join(home, 'tidemark'), ANTHROPIC_API_KEY: 'sk-ant-unused' };
    const released = releasedCommand();
    const start = (program: string): Promise<number> => untilShown([program], PROMPT, environment);
    // The first starts fill the compile cache and are not measured.
    for (const program of [released, released, SOURCE, SOURCE]) await start(program);
    const times: Record<'nothing' | 'released' | 'sources', number[]> = { nothing: [], released: [], sources: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      times.nothing.push(await untilShown(NOTHING, PROMPT));
      times.released.push(await start(released));
      times.sources.push(await start(SOURCE));
    }
    const own = median(times.nothing);
    return {
      ratio: median(times.released) - own,
      details: {
        ownStartMs: own,
        releasedMs: median(times.released),
        fastestReleasedMs: Math.min(...times.released),
        fromSourcesMs: median(times.sources),
        rounds: ROUNDS,
      },
    };
  });
}
