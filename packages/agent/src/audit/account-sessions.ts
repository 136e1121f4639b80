// Sums tokens and cost over any number of sessions. Each log is read only one time, and only the sums are kept in
// memory.

import type { Account, Churn, Following, GroupBy, ModelCall, RowOf } from '@tidemark/context';
import {
  NO_CALLS,
  accountOf,
  accountOfCharge,
  addAccounts,
  addChurn,
  beginChurn,
  beginFollowing,
  endFollowing,
  followRecord,
  groupOf,
} from '@tidemark/context';
import type { EpochOpened, Log, RecordedOf, SessionId, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { loadCapabilities } from '../session/materials.ts';
import type { ObservedExplanation } from './explain-observed.ts';
import { compareObserved } from './explain-observed.ts';

export interface AccountOptions {
  readonly by: GroupBy;
  /** Returns the catalog row of a model. It is used if a log contains no row, for example an imported log. */
  readonly rowOf: RowOf;
  /** Earliest time of the calls to include. Earlier calls are ignored. */
  readonly since?: Timestamp;
  /** Row of another model. If present, the same calls are also priced with it. */
  readonly as?: Capabilities;
}

/** Sums of tokens and cost over sessions. */
export interface Accounts {
  readonly whole: Account;
  /**
   * Sums by group, without the charges for tool calls. The key `undefined` contains the calls that have no value for
   * the group, such as calls without a contract.
   */
  readonly groups: ReadonlyMap<string | undefined, Account>;
  /** Sums of each session with at least one call, in the order in which the sessions were added. */
  readonly sessions: readonly AccountedSession[];
  /** Times of the first and the last call. `undefined` if there is no call. */
  readonly span: { readonly from: Timestamp; readonly to: Timestamp } | undefined;
}

/** Sums of one session. */
export interface AccountedSession {
  readonly session: SessionId;
  readonly account: Account;
  /** Changes of the session's fronts over the whole log of the session. `since` does not limit them. */
  readonly churn: Churn['changes'];
  readonly appended: number;
}

/** Accounts without any session. */
export const NO_ACCOUNTS: Accounts = { whole: NO_CALLS, groups: new Map(), sessions: [], span: undefined };

/**
 * Adds the calls of a session to the accounts. Returns the accounts unchanged if the session has no call to include.
 *
 * @throws LogError as the store does.
 */
export async function addSession(
  accounts: Accounts,
  log: Log,
  session: SessionId,
  options: AccountOptions,
): Promise<Accounts> {
  let churn = beginChurn(session);
  let { span } = accounts;
  const groups = new Map(accounts.groups);
  let own = NO_CALLS;
  for await (const step of readCalls(log, session, options.rowOf)) {
    if (step.type === 'churn') churn = step.churn;
    else if (step.type === 'charge') {
      const { at, data } = step.charge;
      if (options.since === undefined || at >= options.since) own = addAccounts(own, accountOfCharge(data));
    } else if (options.since === undefined || step.call.at >= options.since) {
      const account = accountOf(step.call, options.as);
      const group = groupOf(options.by, step.call);
      groups.set(group, addAccounts(groups.get(group) ?? NO_CALLS, account));
      own = addAccounts(own, account);
      span = extendSpan(span, step.call);
    }
  }
  if (own === NO_CALLS) return accounts;
  const { changes, appended } = churn;
  const sessions = [...accounts.sessions, { session, account: own, churn: changes, appended }];
  return { whole: addAccounts(accounts.whole, own), groups, sessions, span };
}

function extendSpan(span: Accounts['span'], { at }: ModelCall): Accounts['span'] {
  if (span === undefined) return { from: at, to: at };
  return { from: at < span.from ? at : span.from, to: at > span.to ? at : span.to };
}

type ReadCall =
  | { readonly type: 'call'; readonly call: ModelCall }
  | { readonly type: 'charge'; readonly charge: RecordedOf<'tool.charged'> }
  | { readonly type: 'churn'; readonly churn: Churn };

async function* readCalls(log: Log, session: SessionId, rowOf: RowOf): AsyncGenerator<ReadCall> {
  let following: Following = beginFollowing(session);
  let churn = beginChurn(session);
  let imported = false;
  const rows = new Map<string, Capabilities>();
  const comparer = compareObserved(log.artifacts);
  const observed = new Map<number, ObservedExplanation>();
  const find: RowOf = (provider, model) => rows.get(`${provider} ${model}`) ?? rowOf(provider, model);
  for await (const record of log.read(session)) {
    if (record.kind === 'session.created') imported = record.data.imported !== undefined;
    if (record.kind === 'epoch.opened' && !imported) await learnRow(log, record.data, rows);
    const explained = imported ? await comparer.take(record) : undefined;
    if (explained !== undefined) observed.set(explained.request.record.data.step, explained);
    churn = addChurn(churn, record);
    const followed = followRecord(following, record, find);
    following = followed.following;
    if (record.kind === 'tool.charged' && following.owner === session) yield { type: 'charge', charge: record };
    for (const call of followed.calls) yield { type: 'call', call: withObservedCause(call, observed) };
  }
  for (const call of endFollowing(following)) yield { type: 'call', call: withObservedCause(call, observed) };
  yield { type: 'churn', churn };
}

/**
 * Returns the call with the cause of its miss. The cause is derived from the observed request, and `why` reports the
 * same cause.
 */
function withObservedCause(call: ModelCall, observed: ReadonlyMap<number, ObservedExplanation>): ModelCall {
  const { stream, step, again } = call;
  const explained = stream === 'main' ? observed.get(step) : undefined;
  if (again === undefined || explained === undefined) return call;
  return { ...call, again: { ...again, cause: explained.derived ?? again.cause } };
}

/**
 * Remembers the catalog row with which the epoch was opened, because a later catalog may have other values. An imported
 * log names only the model and has no row.
 */
async function learnRow({ artifacts }: Log, opened: EpochOpened, rows: Map<string, Capabilities>): Promise<void> {
  if (!(await artifacts.has(opened.capabilities))) return;
  rows.set(`${opened.provider} ${opened.model}`, await loadCapabilities(artifacts, opened));
}
