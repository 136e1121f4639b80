// Adds up the accounts for `cost` and `cache`: for one session or the whole store, and optionally only from a given
// day. Each log is read only one time.

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
import { withStyle } from '../frame/shown.ts';
import { eachSession } from './each-session.ts';
import { formatCount, dollars, formatNumber } from '../frame/numbers.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, optionalSession } from '../arguments/session-argument.ts';
import { sinceArgument } from '../arguments/since-argument.ts';

/** Options that both `cost` and `cache` take, as commander parses them. */
export interface AccountFlags extends SessionFlags {
  readonly by?: GroupBy;
  readonly since?: string;
}

/** Accounts to report, with the options that selected them. */
export interface Reported {
  readonly accounts: Accounts;
  /** Session that the user named, or `undefined` for the whole store. */
  readonly session: SessionId | undefined;
  readonly by: GroupBy;
  readonly since: Timestamp | undefined;
}

const GROUPS: readonly GroupBy[] = ['session', 'day', 'model', 'contract', 'cause'];

/** Declares the argument and the options that `cost` and `cache` share. */
export function declareAccountFlags(command: Command): Command {
  return declareSession(command, 'all sessions')
    .addOption(
      new Option('--by <what>', 'grouping of the lines. Default: session, or cause for a single session.').choices(
        GROUPS,
      ),
    )
    .option('--since <day>', 'count calls from this day or time on: 2026-11-20, or 2026-11-20T09:30:00Z');
}

/**
 * Returns the accounts of the named session, or of all sessions. A damaged session is counted up to its damage, as in
 * the analytics of the server, and reported on stderr. A session without a readable first record is omitted and
 * reported. If the user named a session that cannot be read to its end, the function throws instead.
 */
export async function addUp(
  name: string | undefined,
  flags: AccountFlags,
  context: CommandContext,
  as?: Capabilities,
): Promise<Reported> {
  const since = flags.since === undefined ? undefined : sinceArgument(flags.since);
  const session = await optionalSession(name, flags, context);
  const by = flags.by ?? (session === undefined ? 'session' : 'cause');
  const catalog = await readCatalog(context.home);
  // Only the provider's own row is used, because another provider can have other prices for the same model.
  const rowOf: RowOf = (provider, model) => findModel(catalog, model, provider);
  const options = { by, rowOf, ...(since && { since }), ...defined({ as }) };
  const store = await context.store();
  let accounts = NO_ACCOUNTS;
  await eachSession(session, context, async (one) => {
    accounts = await addSession(accounts, store, one, options);
  });
  for (const { session: partly, error } of accounts.problems) {
    if (session !== undefined) throw error;
    context.output.note([
      withStyle('yellow', 'counted in part'),
      `: ${partly}: ${error.message}; its calls before that are in the sums; see \`tidemark doctor\``,
    ]);
  }
  return { accounts, session, by, since };
}

/** Returns a message for a report without any calls, with the next step. */
export function nothingFound({ session, since }: Reported, { home }: CommandContext): string {
  const where = session ?? `the sessions of ${home}`;
  if (since !== undefined)
    return `no model calls since ${since} in ${where}; use an earlier day, or remove \`--since\``;
  return `no model calls in ${where}; \`tidemark "what to do"\` makes some, \`tidemark import <transcript>\` imports others`;
}

/** Returns the headline of a report: `2 sessions, 41 calls, 2026-11-19 to 2026-11-21`. */
export function headlineOf({ accounts: { whole, sessions, span }, session }: Reported): string {
  const days = [span?.from.slice(0, 10), span?.to.slice(0, 10)];
  const when = days[0] === days[1] ? `${days[0]}` : `${days[0]} to ${days[1]}`;
  return `${session ?? formatCount(sessions.length, 'session')}, ${formatCount(whole.calls, 'call')}, ${when}`;
}

/**
 * Returns lines about tokens and costs that are unknown. No total includes them (L7). If estimates and upper bounds are
 * known, they are added to the lines.
 */
export function unknownsOf(account: Account): readonly string[] {
  return [...untoldTokens(account), ...untoldMoney(account)];
}

/**
 * Returns lines about tokens that were not reported, and about input without a known bucket. No total includes the
 * tokens that were not reported.
 */
export function untoldTokens({ uncounted, unanswered, tokens, estimated }: Account): readonly string[] {
  const about = estimated.calls === 0 ? '' : `; estimate: about ${formatNumber(estimated.tokens)} tokens`;
  return [
    ...(uncounted === 0 ? [] : [`${formatCount(uncounted, 'call')} without token counts, not in the sums${about}`]),
    ...(unanswered <= uncounted ? [] : [`${formatCount(unanswered, 'call')} without an output count`]),
    ...(tokens.untold === 0
      ? []
      : [`${formatNumber(tokens.untold)} input tokens that the provider did not report as read, written or fresh`]),
  ];
}

function untoldMoney({ unpriced, bounded, estimated }: Account): readonly string[] {
  if (unpriced === 0) return [];
  const most =
    bounded.calls === 0 ? '' : `; at most ${dollars(bounded.cost)} for ${formatNumber(bounded.calls)} of them`;
  const about = Number(estimated.cost) === 0 ? '' : `; estimate: at most about ${dollars(estimated.cost)}`;
  return [`${formatCount(unpriced, 'call')} without a price, not in the sums${most}${about}`];
}

/**
 * Returns the cost of an account. If the account has calls and the cost of every call is unknown, returns `undefined`.
 */
export function paidIn({ calls, unpriced, cost }: Account): string | undefined {
  return calls > 0 && unpriced === calls ? undefined : cost;
}

/**
 * Returns pairs of group name and account, in display order. Sessions have the order of the store, and days have the
 * order of time. All other groups are sorted by cost, most expensive first.
 */
export function orderedGroups({ accounts, by }: Reported): readonly (readonly [string | undefined, Account])[] {
  const groups = [...accounts.groups];
  if (by === 'session') return groups;
  if (by === 'day') return groups.toSorted(([a = ''], [b = '']) => a.localeCompare(b));
  return groups.toSorted(([, a], [, b]) => Number(b.cost) - Number(a.cost));
}

const NAMELESS: Readonly<Partial<Record<GroupBy, string>>> = { contract: 'none', cause: 'nothing paid again' };

/** Returns the display name of a group. A group without a name gets a text such as `unknown`. */
export function groupName(by: GroupBy, name: string | undefined): string {
  return name ?? NAMELESS[by] ?? 'unknown';
}

/** Returns all totals and the rates computed from them, for the JSON output. */
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
    problems: accounts.problems.map(({ session: partly, error }) => ({ session: partly, reason: error.message })),
    whole: whole(accounts.whole),
    groups: orderedGroups(reported).map(([name, account]) => ({ name: name ?? null, ...whole(account) })),
    sessions: accounts.sessions.map(({ account, ...rest }) => ({ ...rest, ...whole(account) })),
  });
}
