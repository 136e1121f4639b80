// `tidemark fork`: creates a session that begins with the records of another one and can read its cache.

import { defined } from '@tidemark/core';
import type { Command } from '../frame/command.ts';
import { makeFork } from '../turns/make-fork.ts';
import { recordArgument } from '../arguments/record-argument.ts';
import { sessionArgument } from '../arguments/session-argument.ts';

/** Forks a session. */
export const fork: Command = {
  name: 'fork',
  summary: 'begin a session as another one was; it reads what that one has cached, which stays as it is',
  examples: [
    ['tidemark fork <session>', 'from its end, or where that is open from the last closed record'],
    ['tidemark fork <session> --at 57', 'from that record, where nothing is open behind it'],
    ['tidemark fork <session> --at 57 --summarize', 'and tells the model in short what was done behind it'],
    ['tidemark fork <session> --dry-run', 'only says where it would leave'],
  ],
  declare: (command, run) =>
    void command
      .argument('<session>', 'the session')
      .option('--at <position>', 'the last record that the fork keeps')
      .option('--summarize', 'tell the model in short what is left behind')
      .option('--title <words>', 'what the fork is called in lists')
      .option('--dry-run', 'change nothing')
      .action((name: string, flags: ForkFlags) =>
        run(async (context) => {
          const { at, summarize = false, title, dryRun = false } = flags;
          const options = defined({ summarize, at: at === undefined ? undefined : recordArgument(at), title });
          await makeFork({ session: sessionArgument(name), options, dryRun }, context);
          return undefined;
        }),
      ),
};

interface ForkFlags {
  readonly at?: string;
  readonly summarize?: true;
  readonly title?: string;
  readonly dryRun?: true;
}
