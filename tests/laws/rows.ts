// Checks the rows of a session projection against the accounts and the explanations of the same logs.

import type { Explanation } from '@tidemark/agent';
import { addSession, explainSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { BreakReport, SessionProjection } from '@tidemark/analytics';
import { openSessionProjection } from '@tidemark/analytics';
import type { Account, GroupBy, RowOf } from '@tidemark/context';
import { ratesOfAccount } from '@tidemark/context';
import type { Log, SessionId } from '@tidemark/log';
import { expect } from 'vitest';
import type { Played } from './play.ts';
import { encoders } from './server.ts';

const rowOf: RowOf = () => undefined;

/**
 * Expects that the sums of a projection are those of the accounts of all sessions, after updates that saw each log only
 * up to some of its records.
 */
export async function expectRowsLikeAccounts({ log, id, book }: Played): Promise<void> {
  const { sessions } = await log.sessions();
  const ids = sessions.map(({ session }) => session);
  for (const parts of [1, 5]) {
    const end = { length: 0 };
    const projection = await openSessionProjection({ path: undefined, log: upTo(log, end), rowOf, rules: 'laws' });
    try {
      for (let part = 1; part <= parts; part += 1) {
        end.length = part === parts ? Infinity : Math.floor((book.records.length * part) / parts);
        expect((await projection.update()).problems).toEqual([]);
      }
      for (const by of ['session', 'day', 'model', 'contract', 'cause'] as const)
        await expectSums(projection, log, ids, by);
      if (parts > 1) await expectBreaks(projection, log, id);
    } finally {
      await projection.close();
    }
  }
}

/** Returns a store in which each log ends after `end.length` records. */
function upTo(log: Log, end: { readonly length: number }): Log {
  return {
    ...log,
    artifacts: log.artifacts,
    read: (session, from = 0, to = Infinity) => log.read(session, from, Math.min(to, end.length)),
    // The logs are cut, so the marks of their files do not show the changes.
    async sessions(filter) {
      const { sessions, unreadable } = await log.sessions(filter);
      return { sessions: sessions.map(({ bytes: _bytes, changedAt: _at, ...one }) => one), unreadable };
    },
  };
}

async function expectSums(
  projection: SessionProjection,
  log: Log,
  ids: readonly SessionId[],
  by: GroupBy,
): Promise<void> {
  let accounts = NO_ACCOUNTS;
  for (const id of ids) accounts = await addSession(accounts, log, id, { by, rowOf });
  const found = await sumsOf(projection, by);
  expect(found.whole).toEqual(expected(accounts.whole));
  const groups = [...accounts.groups].map(([name, account]) => [name ?? null, expected(account)] as const);
  expect(new Map(found.groups.filter(([, { calls }]) => calls > 0))).toEqual(new Map(groups));
}

interface ExpectedSums {
  readonly calls: number;
  readonly [name: string]: unknown;
}

function expected(account: Account): ExpectedSums {
  const { calls, tokens, unpriced, cost, compared, again, unread } = account;
  const { hitRate, writeShare, coverage } = ratesOfAccount(account);
  const { uncached, ideal } = compared;
  const money = [unpriced === calls && calls > 0 ? null : cost, unpriced];
  const compares = compared.calls > 0 || calls === 0 ? [uncached, ideal] : [null, null];
  return { calls, tokens, money, compares, again: again.tokens, ...unread, hitRate, writeShare, coverage };
}

async function sumsOf(
  projection: SessionProjection,
  by: GroupBy,
): Promise<{ readonly whole: ExpectedSums; readonly groups: readonly (readonly [string | null, ExpectedSums])[] }> {
  const [cost, cache] = [await projection.cost({}, by), await projection.cacheEffectiveness({}, by)];
  const both = (costs: typeof cost.whole, used: typeof cache.whole): ExpectedSums => {
    const { calls, tokens, paid, compared, lost } = costs;
    const { wasted, waiting, hitRate, writeShare, coverage } = used;
    const money = [paid.cost, paid.unpriced];
    const compares = [compared.uncached, compared.ideal];
    return { calls, tokens, money, compares, again: lost.tokens, wasted, waiting, hitRate, writeShare, coverage };
  };
  const groups = (cost.groups ?? []).map(({ name, sums }, index) => {
    const used = cache.groups?.[index];
    if (used?.name !== name) throw new Error(`the groups of ${by} differ`);
    return [name, both(sums, used.sums)] as const;
  });
  return { whole: both(cost.whole, cache.whole), groups };
}

/** Expects a row for each miss and for each opened epoch that `why` reports, with the same causes. */
async function expectBreaks(projection: SessionProjection, log: Log, id: SessionId): Promise<void> {
  const { breaks } = await projection.listBreaks({ session: id, limit: 1000 });
  const { explained } = await explainSession(log, id, encoders);
  const own = new Set((await projection.calls(id, { limit: 1000 })).calls.map(keyOf));
  const found = explained.filter(
    (one) => one.answer !== undefined && own.has(keyOf(one)) && (one.miss !== undefined || one.opened !== undefined),
  );
  expect(found.filter((one) => !breaks.some((row) => isSameBreak(row, one)))).toEqual([]);
}

function keyOf({ at, stream, step }: { readonly at: string; readonly stream: string; readonly step: number }): string {
  return `${at} ${stream} ${step}`;
}

function isSameBreak(row: BreakReport, explanation: Explanation): boolean {
  const { miss, opened } = explanation;
  const epoch = opened === undefined ? [] : [opened.cause, ...(opened.also ?? [])];
  const causes = miss === undefined ? epoch : [miss.cause, ...(miss.also ?? [])];
  // `why` names the epoch at its first request. If that request has no answer, only the row of the next one names it.
  const isUnnamed = causes.includes('opened') && epoch.length === 0;
  const named = causes.flatMap((cause): readonly string[] => (cause === 'opened' ? epoch : [cause]));
  const isSameCause = isUnnamed || named.join(' + ') === row.causes.join(' + ');
  return keyOf(row) === keyOf(explanation) && (row.tokens ?? 0) === (miss?.tokens ?? 0) && isSameCause;
}
