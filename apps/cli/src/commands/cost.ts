// `tidemark cost`: reports the cost of model calls. Compares it with the cost of the same calls without a cache, with
// ideal caching, or with another model.

import { defined } from '@tidemark/core';
import type { Account, Compared } from '@tidemark/context';
import { inputOfAccount } from '@tidemark/context';
import type { Log, SessionId } from '@tidemark/log';
import { LogError, money } from '@tidemark/log';
import type { Capabilities, Catalog } from '@tidemark/model';
import { findModel, nearestModel } from '@tidemark/model';

import type { AccountFlags, Reported } from '../reports/accounts.ts';
import {
  accountsJson,
  addUp,
  declareAccountFlags,
  groupName,
  headlineOf,
  nothingFound,
  orderedGroups,
  paidIn,
  unknownsOf,
} from '../reports/accounts.ts';
import type { KnownCost, LineCost } from '../reports/line-cost.ts';
import { addCosts, readLineCost } from '../reports/line-cost.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { formatCount, dollars, formatNumber } from '../frame/numbers.ts';
import { plainText } from '../frame/plain-text.ts';
import type { ShownSubagent } from '../present/subagent-lines.ts';
import { subagentLine, withSubagent } from '../present/subagent-lines.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import type { TableOf } from '../frame/table.ts';

/**
 * Command `tidemark cost`, which reports the cost of model calls and compares it with the cost under other conditions.
 */
export const cost: Command = {
  name: 'cost',
  summary: 'report the cost of model calls: paid, uncached, ideally cached, and with another model',
  examples: [
    ['tidemark cost', 'all sessions, one line each'],
    ['tidemark cost <session>', 'one session, by the cause of tokens paid again'],
    ['tidemark cost --by day --since 2026-11-20', 'one line per day; also by model, contract, cause'],
    ['tidemark cost --as claude-haiku-4-5', 'also the cost of the same tokens with that model'],
  ],
  declare: (command, run) =>
    void declareAccountFlags(command)
      .option('--as <model>', 'also price the same tokens with another model of the catalog')
      .action((session: string | undefined, flags: CostFlags) => run((context) => report(session, flags, context))),
};

interface CostFlags extends AccountFlags {
  readonly as?: string;
}

async function report(session: string | undefined, flags: CostFlags, context: CommandContext): Promise<CommandOutcome> {
  const as = flags.as === undefined ? undefined : modelArgument(flags.as, await readCatalog(context.home));
  const reported = await addUp(session, flags, context, as);
  const { whole } = reported.accounts;
  const { output } = context;
  const costs = await lineOf(reported, context);
  const value = { ...accountsJson(reported), ...defined({ as: as?.model, line: costs }) };
  output.result(value, () => (whole.calls === 0 ? nothingFound(reported, context) : headlineOf(reported)));
  if (costs?.before !== undefined) output.line(lineInWords(costs.own, costs.before));
  if (whole.calls === 0) return undefined;
  const withOthers = sessionRow(whole, costs);
  output.table(sums(whole, as, withOthers));
  for (const unknown of remarks(whole, as)) output.line(unknown);
  output.line('');
  output.table(groups(reported));
  const subagents = await subagentLines(reported.session, context);
  const counted = withOthers.length === 0 ? 'not in the sums above:' : 'in the sum of the session, and in no other:';
  if (subagents.length > 0) output.line(['', counted, ...subagents].join('\n'));
  return undefined;
}

/** Returns the cost of a session and of the sessions that it continues. Returns `undefined` for several sessions. */
async function lineOf({ session, since }: Reported, context: CommandContext): Promise<LineCost | undefined> {
  if (session === undefined || since !== undefined) return undefined;
  return readLineCost(await context.store(), session);
}

/** Describes the cost of a fork and of its line, as the status line of the terminal counts it. */
function lineInWords(own: KnownCost, before: KnownCost): string {
  return `this fork: ${knownAmount(own)}; its line, with what was paid before the fork: ${knownAmount(addCosts(own, before))}`;
}

function knownAmount({ cost: known, more }: KnownCost): string {
  return `${more ? '≥ ' : ''}${dollars(known)}`;
}

/**
 * Returns the row of the cost of a session as the status line of the terminal counts it, if it is not the cost of its
 * calls: also its subagents, and the services of its tools. The status line of a fork also counts the sessions before
 * it. The status line has no cost of the calls of an imported session, so such a session has no row.
 */
function sessionRow({ cost: paid }: Account, costs: LineCost | undefined): readonly (readonly string[])[] {
  if (costs === undefined || Number(costs.own.cost) <= Number(paid)) return [];
  const shown = costs.before === undefined ? ', as in the status line' : '';
  return [['session', knownAmount(costs.own), `also its subagents and the services of its tools${shown}`]];
}

/**
 * Returns one line for each subagent of a session. Subagents are sessions of their own, so only the row of the session
 * includes them. A subagent with another model cannot read the front of the session from the cache. Its line therefore names the
 * cost of its first call, which wrote its own front.
 */
async function subagentLines(session: SessionId | undefined, context: CommandContext): Promise<readonly string[]> {
  if (session === undefined) return [];
  const store = await context.store();
  let subagents: readonly ShownSubagent[] = [];
  for await (const record of store.read(session)) {
    // The log of a fork begins with the records of its ancestors, costs subagents are not its own.
    subagents = record.kind === 'session.created' ? [] : withSubagent(subagents, record);
  }
  const lines: string[] = [];
  for (const subagent of subagents) {
    const first = subagent.model === undefined ? undefined : await firstCost(store, subagent.child);
    lines.push(`${subagentLine(subagent)}${first === undefined ? '' : `, ${dollars(first)} of it for its first call`}`);
  }
  return lines.map(plainText);
}

async function firstCost(store: Log, session: SessionId): Promise<string | undefined> {
  try {
    for await (const { kind, data } of store.read(session)) if (kind === 'answer.received') return data.cost;
  } catch (error) {
    // A damaged log of a subagent is reported by `tidemark doctor`.
    if (!(error instanceof LogError)) throw error;
  }
  return undefined;
}

/**
 * Returns the catalog's capabilities of the model.
 *
 * @throws CliError `cli/not-found` with the nearest model of the catalog.
 */
function modelArgument(name: string, catalog: Catalog): Capabilities {
  const found = findModel(catalog, name);
  if (found !== undefined) return found;
  const nearest = nearestModel(catalog, name)?.capabilities.model;
  const next =
    nearest === undefined
      ? 'use the name that the provider uses, such as claude-haiku-4-5'
      : `did you mean ${nearest}?`;
  throw new CliError('cli/not-found', `the catalog has no model ${JSON.stringify(name)}`, next);
}

function sums(account: Account, as: Capabilities | undefined, session: readonly (readonly string[])[]): TableOf {
  const { compared, other } = account;
  const paid = paidIn(account);
  const more = account.unpriced > 0;
  const row = (name: string, amount: string, meaning: string): readonly string[] => [name, dollars(amount), meaning];
  const rows = [
    ['paid', paid === undefined ? 'unknown' : knownAmount({ cost: money(paid), more }), ''],
    ...session,
    ...(compared.calls === 0
      ? []
      : [
          row('uncached', compared.uncached, 'the same calls without a cache'),
          row('ideal', compared.ideal, 'each new token written once, old tokens read (estimate)'),
        ]),
    ...chargedRow(account),
    ...(as === undefined || other.calls === 0 ? [] : [row('other', other.cost, `the same tokens with ${as.model}`)]),
  ];
  return { head: [], rows, numbers: [1] };
}

/** Returns the row of the requests that tools sent to services, such as web searches. */
function chargedRow({ charged: { requests, cost: known, unpriced } }: Account): readonly (readonly string[])[] {
  if (requests === 0) return [];
  const without = unpriced === 0 ? '' : `, ${formatNumber(unpriced)} of unknown price`;
  const amount = unpriced === requests ? 'unknown' : dollars(known);
  return [
    ['services', amount, `${formatCount(requests, 'request')} of tools, such as web searches${without}; not in paid`],
  ];
}

/**
 * Returns remarks on the totals. They name the calls that the totals do not include, and the cost added by calls above
 * a price cliff.
 */
function remarks(account: Account, as: Capabilities | undefined): readonly string[] {
  const { calls, compared, other, dearer } = account;
  const partly = (name: string, part: { readonly calls: number; readonly paid: string }): readonly string[] => {
    if (part.calls === calls) return [];
    if (part.calls === 0) return [`${name}: unknown for every call`];
    return [
      `${name}: for ${formatNumber(part.calls)} of ${formatCount(calls, 'call')}, which cost ${dollars(part.paid)}`,
    ];
  };
  const named = as === undefined ? [] : partly('other', other);
  return [...unknownsOf(account), ...cliffLine(dearer), ...partly('uncached, ideal', compared), ...named];
}

/**
 * Returns a line that counts the calls above a price cliff. The line also gives the extra cost of these long calls.
 * Calls of unknown price are counted separately. If no call was above a cliff, returns no line.
 */
function cliffLine({ calls, unpriced, ...added }: Account['dearer']): readonly string[] {
  if (calls === 0) return [];
  const more = unpriced === calls ? 'an unknown amount' : dollars(added.cost);
  const without =
    unpriced === 0 || unpriced === calls ? '' : `; the price of ${formatCount(unpriced, 'call')} is unknown`;
  return [`above a price cliff: ${formatCount(calls, 'call')}; the length added ${more}${without}`];
}

function groups(reported: Reported): TableOf {
  const { by } = reported;
  const rows = orderedGroups(reported).map(([name, account]) => {
    const { calls, uncounted, unanswered, tokens, compared } = account;
    const paid = paidIn(account);
    return [
      groupName(by, name),
      formatNumber(calls),
      uncounted === calls ? '?' : formatNumber(inputOfAccount(account)),
      unanswered === calls ? '?' : formatNumber(tokens.answer + tokens.reasoning),
      paid === undefined ? '?' : dollars(paid),
      timesIdeal(compared),
    ];
  });
  return { head: [by, 'calls', 'input', 'output', 'paid', '× ideal'], rows, numbers: [1, 2, 3, 4, 5] };
}

/**
 * Returns the ratio of the paid cost to the ideal cost, for example `1.25`. Both costs are totals of the calls for
 * which both are known. If the ideal cost is 0, returns `?`.
 */
function timesIdeal({ paid, ideal }: Compared): string {
  return Number(ideal) === 0 ? '?' : (Number(paid) / Number(ideal)).toFixed(2);
}
