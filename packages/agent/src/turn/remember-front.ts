// What a session leaves for others on the same front: which of its entries are in the cache. Once a minute at most, since each call keeps
// them alive.

import { milliseconds } from '@tidemark/log';
import { frontEntries, itemAt, newTextRatio, sizeByBlock } from '@tidemark/context';
import type { Prepared } from '../request/prepare.ts';
import { frontName, keepWarmFront } from '../session/warm-fronts.ts';
import type { TurnContext } from './turn-context.ts';

const EVERY_MS = 60_000;

/** Adds the front of an answered request to the index of its store. Nothing where the account is not known. */
export async function rememberFront(
  { session, lines }: Pick<TurnContext, 'session' | 'lines'>,
  { record, epoch, sequence, capabilities }: Prepared,
): Promise<void> {
  const { account } = record.data;
  if (account === undefined) return;
  const { state, log } = session;
  const front = frontName(epoch, account);
  const now = milliseconds(record.at);
  const { told } = lines;
  if (told !== undefined && told.front === front && now - told.at < EVERY_MS) return;
  lines.told = { front, at: now };
  const sizeOf = sizeByBlock({
    lookup: { sequence, capabilities, now, account },
    accepted: state.streams['main']?.accepted,
    model: epoch.model,
    ratio: newTextRatio(state, epoch.model),
    scales: state.scales,
  });
  const entries = frontEntries(state).filter(
    (entry) => entry.account === account && itemAt(sequence.prefixes, entry.block) === entry.prefix,
  );
  const sized = entries.map((entry) => ({ ...entry, tokens: entry.tokens ?? sizeOf(entry.block) }));
  await keepWarmFront(log, front, sized, record.at);
}
