// Copies the recoverable records of a damaged session into a new session. The damaged session stays unchanged (L5).

import type { Log, UnreadableSession } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import type { LostRecords } from '@tidemark/store-ndjson';
import { repairSession } from '@tidemark/store-ndjson';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { findSession } from '../arguments/find-session.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { isOfFiles, RESTORE } from './lost-session.ts';

type ListedSessions = Awaited<ReturnType<Log['sessions']>>;

/**
 * Copies the recoverable records of a session into the new session `<session>-repaired`. If this name exists, a number
 * is appended.
 */
export async function repair(name: string, context: CommandContext): Promise<CommandOutcome> {
  const store = await context.store();
  const from = await findSession(name, context);
  const listed = await store.sessions();
  const to = sessionId(freeName(listed, `${from}-repaired`));
  const { records, mended, lost, damage } = await repairSession({ home: context.home }, from, to).catch(
    (error: unknown) => {
      throw refusal(
        error,
        listed.unreadable.find(({ session }) => session === from),
      );
    },
  );
  context.output.result({ repaired: from, session: to, records, mended, lost, damage }, () => [
    `${records - countOf(lost)} records of ${from} were copied to `,
    withStyle('cyan', to),
    ...(mended === 0 ? [] : [`, ${mended} of them corrected and proven by the digest chain`]),
    `; ${from} is unchanged`,
    ...lost.map(lostLine),
  ]);
  return undefined;
}

/**
 * Returns the error for a repair that failed. The next step in the error is never the same repair again. `known` is the
 * entry of the session in the list of unreadable sessions. It is `undefined` if the list does not contain the session.
 */
function refusal(error: unknown, known: UnreadableSession | undefined): unknown {
  if (error instanceof LogError && error.code === 'log/damaged')
    return beyondRepair(error.message, '`tidemark doctor` shows which records are intact', error);
  if (known === undefined || !isOfFiles(error)) return error;
  const message = `session ${known.session} cannot be repaired, because none of its records can be read: ${known.reason}`;
  return beyondRepair(message, RESTORE, error);
}

function beyondRepair(message: string, next: string, cause: unknown): CliError {
  return new CliError('cli/beyond-repair', message, `nothing was changed; ${next}`, cause);
}

function countOf(lost: readonly LostRecords[]): number {
  return lost.reduce((sum, { count }) => sum + count, 0);
}

function lostLine({ from, count, line, offset, bytes }: LostRecords): Shown {
  const which = count === 1 ? `position ${from} is` : `positions ${from} to ${from + count - 1} are`;
  return `\n${which} lost (line ${line}, byte ${offset}, ${bytes} bytes); the new session records the loss`;
}

function freeName({ sessions, unreadable }: ListedSessions, wanted: string): string {
  const taken = new Set<string>([...sessions, ...unreadable].map((each) => each.session));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  return name;
}
