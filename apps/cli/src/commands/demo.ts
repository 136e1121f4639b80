// `tidemark demo`: runs an agent on a sample project, and kills the agent's process one time during the work. With
// `--recorded`, replays a recorded session instead.

import { Option } from 'commander';

import type { Command } from '../frame/command.ts';
import { driveRecording } from '../demo/recorded.ts';
import { workOnProject } from '../demo/work.ts';

/** Command `tidemark demo`, which runs an agent on a sample project, or replays a recorded session. */
export const demo: Command = {
  name: 'demo',
  summary:
    'run an agent on a sample project against the simulator, and report what each call cost and why; needs no key',
  examples: [
    ['tidemark demo', 'takes about ten seconds and keeps no files'],
    ['tidemark demo --keep', 'keeps its folder and prints how to inspect the session'],
    ['tidemark demo --recorded', 'replays a recorded session that has breaks, call by call'],
    ['tidemark demo --json', 'one JSON object per call, then one for the whole demo'],
  ],
  declare: (command, run) =>
    void command
      .option('--recorded', 'replay a recorded coding session instead')
      .addOption(new Option('--keep', 'keep the folder of the sample project and its session').conflicts('recorded'))
      .action(({ recorded, keep }: { readonly recorded?: true; readonly keep?: true }) =>
        run((context) => (recorded === true ? driveRecording(context) : workOnProject(keep === true, context))),
      ),
};
