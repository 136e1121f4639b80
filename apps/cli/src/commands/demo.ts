// `tidemark demo`: runs an agent on a sample project and kills it once on the way. With `--recorded`, replays a
// recorded session instead.

import { Option } from 'commander';

import type { Command } from '../frame/command.ts';
import { driveRecording } from '../demo/recorded.ts';
import { workOnProject } from '../demo/work.ts';

/** Runs the demo. */
export const demo: Command = {
  name: 'demo',
  summary:
    'let an agent mend a sample project against the simulator, and say what each call cost and why; no key needed',
  examples: [
    ['tidemark demo', 'about ten seconds; leaves nothing behind'],
    ['tidemark demo --keep', 'keeps its folder, and says how to look into the session'],
    ['tidemark demo --recorded', 'a recorded session instead, with breaks of its own, driven call by call'],
    ['tidemark demo --json', 'one JSON object a call, then one for the whole'],
  ],
  declare: (command, run) =>
    void command
      .option('--recorded', 'drive a recorded coding session again instead')
      .addOption(
        new Option('--keep', 'keep the folder of the sample project and the session in it').conflicts('recorded'),
      )
      .action(({ recorded, keep }: { readonly recorded?: true; readonly keep?: true }) =>
        run((context) => (recorded === true ? driveRecording(context) : workOnProject(keep === true, context))),
      ),
};
