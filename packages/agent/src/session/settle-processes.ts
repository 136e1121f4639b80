// Ends in the log the background processes that no host runs any more. Their program ended with the process that ran
// the session.

import type { Event } from '@tidemark/log';
import type { Runtime } from '../ports/runtime.ts';
import type { Session } from './session.ts';
import { commitInside } from './session.ts';

/** Records each process that runs in the log and does not run in this program as lost. */
export async function settleProcesses(
  session: Session,
  { processes, surroundings }: Pick<Runtime, 'processes' | 'surroundings'>,
): Promise<void> {
  if (session.progress.processes.size === 0) return;
  await session.mutex.pass(async () => {
    const lost = [...session.progress.processes.values()].filter(
      ({ process, ended }) => ended === undefined && processes?.isRunning(session.writer.session, process) !== true,
    );
    if (lost.length === 0) return;
    const at = surroundings.now();
    const events = lost.map(({ process }): Event => ({ kind: 'process.ended', at, data: { process, by: 'lost' } }));
    await commitInside(session, events);
  });
}
