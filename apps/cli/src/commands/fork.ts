// `tidemark fork`: creates a session that begins with the records of another session and can read that session's cache.

import { defined } from '@tidemark/core';
import type { Command } from '../frame/command.ts';
import { makeFork } from '../turns/make-fork.ts';
import { recordArgument } from '../arguments/record-argument.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';

/** Command `tidemark fork`, which creates a session that begins with the records of another session. */
export const fork: Command = {
  name: 'fork',
  summary: 'create a session from a point of another one; it reads the cache of that session, which stays unchanged',
  examples: [
    ['tidemark fork <session>', 'from its end, or from the last closed record if a turn is open'],
    ['tidemark fork <session> --at 57', 'from that record, if no turn is open there'],
    ['tidemark fork <session> --at 57 --summarize', 'also gives the model a short summary of the part after it'],
    ['tidemark fork <session> --dry-run', 'only shows where the fork would begin'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .option('--at <position>', 'last record that the fork keeps')
      .option('--summarize', 'give the model a short summary of the part that the fork omits')
      .option('--title <words>', 'title of the fork in lists')
      .option('--dry-run', 'report the expected result and change nothing')
      .action((name: string | undefined, flags: ForkFlags) =>
        run(async (context) => {
          const { at, summarize = false, title, dryRun = false } = flags;
          const options = defined({ summarize, at: at === undefined ? undefined : recordArgument(at), title });
          await makeFork({ session: await requiredSession(name, flags, context), options, dryRun }, context);
          return undefined;
        }),
      ),
};

interface ForkFlags extends SessionFlags {
  readonly at?: string;
  readonly summarize?: true;
  readonly title?: string;
  readonly dryRun?: true;
}
