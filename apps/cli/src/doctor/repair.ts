// Copies what can be had back of a damaged session into a new one. The damaged one stays as it is (L5).

import type { Log } from '@tidemark/log';
import { LogError, sessionId } from '@tidemark/log';
import type { LostRecords } from '@tidemark/store-ndjson';
import { repairSession } from '@tidemark/store-ndjson';

import type { CommandContext, Outcome } from '../command.ts';
import { CliError } from '../failure.ts';
import { sessionArgument } from '../session-argument.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';

/** Repairs one session into `<session>-repaired`, with a number behind it where that is taken. */
export async function repair(name: string, context: CommandContext): Promise<Outcome> {
  const store = await context.store();
  const from = sessionArgument(name);
  const to = sessionId(await freeName(store, `${from}-repaired`));
  const { records, mended, lost, damage } = await repairSession({ home: context.home }, from, to).catch(refuse);
  context.output.result({ repaired: from, session: to, records, mended, lost, damage }, () => [
    `${records - countOf(lost)} records of ${from} are now in `,
    styled('cyan', to),
    ...(mended === 0 ? [] : [`, ${mended} of them put right, proven by the chain`]),
    `; ${from} is as it was`,
    ...lost.map(lostLine),
  ]);
  return undefined;
}

/** A repair that cannot be made is not the next step of itself. */
function refuse(error: unknown): never {
  if (!(error instanceof LogError) || error.code !== 'log/damaged') throw error;
  throw new CliError(
    'cli/beyond-repair',
    error.message,
    'nothing was changed; `tidemark doctor` lists what is sound',
    error,
  );
}

function countOf(lost: readonly LostRecords[]): number {
  return lost.reduce((sum, { count }) => sum + count, 0);
}

function lostLine({ from, count, line, offset, bytes }: LostRecords): Shown {
  const which = count === 1 ? `position ${from} is` : `positions ${from} to ${from + count - 1} are`;
  return `\n${which} lost (line ${line}, byte ${offset}, ${bytes} bytes); the new session says so there`;
}

async function freeName(store: Log, wanted: string): Promise<string> {
  const { sessions, unreadable } = await store.sessions();
  const taken = new Set<string>([...sessions, ...unreadable].map((each) => each.session));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  return name;
}
