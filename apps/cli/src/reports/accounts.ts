// The accounts that `cost` and `cache` report on: one session or all of the store, from a day on, each log read once.

import { defined } from '@tidemark/core';
import type { Accounts } from '@tidemark/agent';
import { addSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { Account, GroupBy, RowOf } from '@tidemark/context';
import { ratesOfAccount } from '@tidemark/context';
import type { SessionId, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { findModel } from '@tidemark/model';
import { Option } from 'commander';
import type { Command } from 'commander';

import type { CommandContext } from '../frame/command.ts';
import { eachSession } from './each-session.ts';
import { formatCount, dollars, formatNumber } from '../frame/numbers.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import { sessionArgument } from '../arguments/session-argument.ts';
import { sinceArgument } from '../arguments/since-argument.ts';

/** The options that both commands take, as commander gives them. */
export interface AccountFlags {
  readonly by?: GroupBy;
  readonly since?: string;
}

/** What is reported on. */
export interface Reported {
  readonly accounts: Accounts;
  /** The one session that was named. */
  readonly session: SessionId | undefined;
  readonly by: GroupBy;
  readonly since: Timestamp | undefined;
}

const GROUPS: readonly GroupBy[] = ['session', 'day', 'model', 'contract', 'cause'];

/** Declares argument and options. */
export function declareAccountFlags(command: Command): Command {
  return command
    .argument('[session]', 'one session; all of the store unless named')
    .addOption(new Option('--by <what>', 'one line each: by session, or for one session by cause').choices(GROUPS))
    .option('--since <day>', 'calls from that day or instant on: 2026-11-20, or 2026-11-20T09:30:00Z');
}

/** Adds it up. What is damaged is told on stderr and left out, unless it is the session that was named. */
export async function addUp(
  name: string | undefined,
  flags: AccountFlags,
  context: CommandContext,
  as?: Capabilities,
): Promise<Reported> {
  const session = name === undefined ? undefined : sessionArgument(name);
  const since = flags.since === undefined ? undefined : sinceArgument(flags.since);
  const by = flags.by ?? (session === undefined ? 'session' : 'cause');
  const catalog = await readCatalog(context.home);
  // Another provider's row for the same name may have other prices: it is not used.
  const rowOf: RowOf = (provider, model) => findModel(catalog, model, provider);
  const options = { by, rowOf, ...(since && { since }), ...defined({ as }) };
  const store = await context.store();
  let accounts = NO_ACCOUNTS;
  await eachSession(session, context, async (one) => {
    accounts = await addSession(accounts, store, one, options);
  });
  return { accounts, session, by, since };
}

/** Where there is nothing to report, and what to do about it. */
export function nothingFound({ session, since }: Reported, { home }: CommandContext): string {
  const where = session ?? `the sessions of ${home}`;
  if (since !== undefined)
    return `no call to a model since ${since} in ${where}; name an earlier day, or leave --since out`;
  return `no call to a model in ${where}; \`tidemark "what to do"\` makes some, \`tidemark import <transcript>\` brings others`;
}

/** `2 sessions, 41 calls, 2026-11-19 to 2026-11-21`. */
export function headlineOf({ accounts: { whole, sessions, span }, session }: Reported): string {
  const days = [span?.from.slice(0, 10), span?.to.slice(0, 10)];
  const when = days[0] === days[1] ? `${days[0]}` : `${days[0]} to ${days[1]}`;
  return `${session ?? formatCount(sessions.length, 'session')}, ${formatCount(whole.calls, 'call')}, ${when}`;
}

/** The counts that no provider told. They are in no sum (L7); estimates and bounds are shown where they are known. */
export function unknownsOf(account: Account): readonly string[] {
  return [...untoldTokens(account), ...untoldMoney(account)];
}

/** Tokens that are in no sum, and input whose bucket is not known. */
export function untoldTokens({ uncounted, unanswered, tokens, estimated }: Account): readonly string[] {
  const about = estimated.calls === 0 ? '' : `; about ${formatNumber(estimated.tokens)} tokens by estimate`;
  return [
    ...(uncounted === 0 ? [] : [`${formatCount(uncounted, 'call')} without counts: in no sum of tokens${about}`]),
    ...(unanswered <= uncounted ? [] : [`${formatCount(unanswered, 'call')} without a count of the output`]),
    ...(tokens.untold === 0
      ? []
      : [`${formatNumber(tokens.untold)} input tokens that the provider did not tell as read, written or fresh`]),
  ];
}

function untoldMoney({ unpriced, bounded, estimated }: Account): readonly string[] {
  if (unpriced === 0) return [];
  const most =
    bounded.calls === 0 ? '' : `; ${dollars(bounded.cost)} at most for ${formatNumber(bounded.calls)} of them`;
  const about = Number(estimated.cost) === 0 ? '' : `; about ${dollars(estimated.cost)} at most by estimate`;
  return [`${formatCount(unpriced, 'call')} without a price: in no sum of money${most}${about}`];
}

/** The sum of what was paid; `undefined` where no call of the account has a known cost. */
export function paidIn({ calls, unpriced, cost }: Account): string | undefined {
  return calls > 0 && unpriced === calls ? undefined : cost;
}

/** The groups as they are shown: sessions as the store lists them, days in order, the rest by what they cost. */
export function orderedGroups({ accounts, by }: Reported): readonly (readonly [string | undefined, Account])[] {
  const groups = [...accounts.groups];
  if (by === 'session') return groups;
  if (by === 'day') return groups.toSorted(([a = ''], [b = '']) => a.localeCompare(b));
  return groups.toSorted(([, a], [, b]) => Number(b.cost) - Number(a.cost));
}

const NAMELESS: Readonly<Partial<Record<GroupBy, string>>> = { contract: 'none', cause: 'nothing paid again' };

/** The name of a group, for people. */
export function groupName(by: GroupBy, name: string | undefined): string {
  return name ?? NAMELESS[by] ?? 'unknown';
}

/** For programs: every sum, with the rates that are read from it. */
export function accountsJson(reported: Reported): object {
  const { accounts, session, by, since } = reported;
  const whole = (account: Account): object => ({
    ...account,
    cost: paidIn(account) ?? null,
    rates: ratesOfAccount(account),
  });
  return defined({
    session,
    by,
    since: since ?? null,
    span: accounts.span ?? null,
    whole: whole(accounts.whole),
    groups: orderedGroups(reported).map(([name, account]) => ({ name: name ?? null, ...whole(account) })),
    sessions: accounts.sessions.map(({ account, ...rest }) => ({ ...rest, ...whole(account) })),
  });
}
