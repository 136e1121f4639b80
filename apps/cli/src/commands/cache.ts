// `tidemark cache`: reports how much of the input was read from the cache. Also reports which tokens were paid again
// and why, and which stable parts changed. With `--requests`, lists the latest requests.

import type { AccountedSession } from '@tidemark/agent';
import type { Account } from '@tidemark/context';
import { ratesOfAccount } from '@tidemark/context';

import type { AccountFlags, Reported } from '../reports/accounts.ts';
import {
  accountsJson,
  addUp,
  declareAccountFlags,
  groupName,
  headlineOf,
  nothingFound,
  orderedGroups,
  untoldTokens,
} from '../reports/accounts.ts';
import { causeTable } from '../reports/cause-table.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { formatCount, formatNumber, percent } from '../frame/numbers.ts';
import { reportRequests } from '../reports/request-report.ts';
import type { TableOf } from '../frame/table.ts';

/** Command `tidemark cache`, which reports how much of the input was read from the cache and what was paid again. */
export const cache: Command = {
  name: 'cache',
  summary: 'report how much was read from the cache, what was paid again and why, and what changed',
  examples: [
    ['tidemark cache', 'all sessions, one line each'],
    ['tidemark cache <session>', 'one session, by the cause of tokens paid again'],
    ['tidemark cache --by model --since 2026-11-20', 'one line per model; also by day, contract, cause'],
    ['tidemark cache <session> --requests', 'its latest 24 requests: sizes and markers, no text'],
  ],
  declare: (command, run) =>
    void declareAccountFlags(command)
      .option('--requests', 'show the latest 24 requests of the session, or of each of the latest 24 sessions')
      .action((session: string | undefined, flags: CacheFlags) =>
        run((context) =>
          flags.requests === true ? reportRequests(session, flags, context) : report(session, flags, context),
        ),
      ),
};

interface CacheFlags extends AccountFlags {
  readonly requests?: true;
}

async function report(
  session: string | undefined,
  flags: AccountFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const reported = await addUp(session, flags, context);
  const { whole } = reported.accounts;
  const { output } = context;
  output.result(accountsJson(reported), () =>
    whole.calls === 0 ? nothingFound(reported, context) : headlineOf(reported),
  );
  if (whole.calls === 0) return undefined;
  output.table(ratesTable(reported));
  for (const unknown of untoldTokens(whole)) output.line(unknown);
  output.line('');
  if (reported.by !== 'cause') output.table(groups(reported));
  else if (whole.again.calls === 0) output.line('nothing was paid again');
  else output.table(causeTable(reported.accounts.groups));
  return undefined;
}

function ratesTable({ accounts: { whole, sessions }, session }: Reported): TableOf {
  const { calls, rated, readable, unread, forecast } = whole;
  const { hitRate, writeShare, coverage, forecastError } = ratesOfAccount(whole);
  const usual = session === undefined ? '' : `; a prefix that only grows would give ${percent(2, calls + 1)}`;
  const part = readable.calls === calls ? '' : ` (${formatNumber(readable.calls)} of ${formatCount(calls, 'call')})`;
  const waiting = unread.waiting === 0 ? '' : `; the next call may still read ${formatNumber(unread.waiting)}`;
  const rows = [
    ['hit rate', share(hitRate), `of ${formatNumber(rated.read)} input tokens were read`],
    ['write share', share(writeShare), `of them were written${usual}`],
    ['coverage', share(coverage), `of the readable tokens were read${part}`],
    ['wasted writes', formatNumber(unread.wasted), `tokens written and never read${waiting}`],
    ...(forecastError === null
      ? []
      : [['forecast error', share(forecastError), `of the input tokens, over ${formatCount(forecast.calls, 'call')}`]]),
    changesRow(sessions),
  ];
  const appended = sessions.reduce((sum, one) => sum + one.appended, 0);
  if (appended > 0) rows.push(['appended', formatNumber(appended), 'changes appended to the tail, without a rewrite']);
  return { head: [], rows, numbers: [1] };
}

function share(rate: number | null): string {
  return rate === null ? '–' : percent(rate, 1);
}

const CHURNED = ['model', 'parameters', 'system', 'tools', 'history'] as const;

/** Returns the table row that counts the changes of the prefix, by cause. Does not count side calls. */
function changesRow(sessions: readonly AccountedSession[]): readonly string[] {
  const causes = CHURNED.flatMap((what) => sessions.flatMap(({ churn }) => causesOf(what, churn[what])));
  const names = [...new Set(causes)];
  const changes = names.map((name) => times(name, causes.filter((one) => one === name).length));
  return [
    'changes',
    formatNumber(causes.length),
    changes.join(', ') || 'of model, parameters, system text, tools, history',
  ];
}

/**
 * Returns the name of each change, such as `history (compaction)`. A change that happened several times is repeated in
 * the list.
 */
function causesOf(what: string, changes: { readonly [cause: string]: number }): readonly string[] {
  return Object.entries(changes).flatMap(([cause, count]) =>
    Array.from({ length: count }, () => (what === cause ? what : `${what} (${cause})`)),
  );
}

function times(name: string, count: number): string {
  return count === 1 ? name : `${name} × ${count}`;
}

function groups(reported: Reported): TableOf {
  const { by } = reported;
  const rows = orderedGroups(reported).map(([name, account]) => [groupName(by, name), ...cells(account)]);
  return { head: [by, 'calls', 'hit', 'written', 'covered', 'paid again'], rows, numbers: [1, 2, 3, 4, 5] };
}

function cells(account: Account): readonly string[] {
  const { hitRate, writeShare, coverage } = ratesOfAccount(account);
  return [
    formatNumber(account.calls),
    share(hitRate),
    share(writeShare),
    share(coverage),
    formatNumber(account.again.tokens),
  ];
}
