// `tidemark demo`: an agent at real work on a sample project, killed once on the way; or a recorded session driven again.

import type { Command } from '../command.ts';
import { driveRecording } from '../demo/recorded.ts';
import { workOnProject } from '../demo/work.ts';

/** Runs the demo. */
export const demo: Command = {
  name: 'demo',
  summary:
    'let an agent mend a sample project against the simulator, and say what each call cost and why; no key needed',
  examples: [
    ['tidemark demo', 'about ten seconds; leaves nothing behind'],
    ['tidemark demo --recorded', 'a recorded session instead, with breaks of its own, driven call by call'],
    ['tidemark demo --json', 'one JSON object a call, then one for the whole'],
  ],
  declare: (command, run) =>
    void command
      .option('--recorded', 'drive a recorded coding session again instead')
      .action((options: { readonly recorded?: true }) =>
        run(options.recorded === true ? driveRecording : workOnProject),
      ),
};
