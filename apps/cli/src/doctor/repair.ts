// Copies what is sound of a damaged session into a new one. The damaged one stays as it is (L5).

import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { repairSession } from '@tidemark/store-ndjson';

import type { CommandContext, Outcome } from '../command.ts';
import { sessionArgument } from '../session-argument.ts';
import { styled } from '../shown.ts';

/** Repairs one session into `<session>-repaired`, with a number behind it where that is taken. */
export async function repair(name: string, context: CommandContext): Promise<Outcome> {
  const store = await context.store();
  const from = sessionArgument(name);
  const to = sessionId(await freeName(store, `${from}-repaired`));
  const { records, damage } = await repairSession({ home: context.home }, from, to);
  context.output.result({ repaired: from, session: to, records, damage }, () => [
    `${records} sound records of ${from} are now in `,
    styled('cyan', to),
    `; ${from} is as it was`,
  ]);
  return undefined;
}

async function freeName(store: Log, wanted: string): Promise<string> {
  const { sessions, unreadable } = await store.sessions();
  const taken = new Set<string>([...sessions, ...unreadable].map((each) => each.session));
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  return name;
}
