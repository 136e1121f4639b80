// Where tokens and money went, over any number of sessions: each log is read once, and only sums are kept of it.

import type { Account, Churn, Following, GroupBy, ModelCall, RowOf } from '@tidemark/context';
import {
  NO_CALLS,
  accountOf,
  addAccounts,
  addChurn,
  beginChurn,
  beginFollowing,
  endFollowing,
  followRecord,
  groupOf,
} from '@tidemark/context';
import type { EpochOpened, Log, SessionId, Timestamp } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { loadCapabilities } from '../session/materials.ts';

/** What to sum up, and by what. */
export interface AccountOptions {
  readonly by: GroupBy;
  /** Prices of models that a log has no row of its own for: those of imports. */
  readonly rowOf: RowOf;
  /** Calls sent from then on. */
  readonly since?: Timestamp;
  /** The row of another model, to price the same calls by. */
  readonly as?: Capabilities;
}

/** The sums. */
export interface Accounts {
  readonly whole: Account;
  /** `undefined` is the group of calls that have nothing to name: no contract, nothing paid again. */
  readonly groups: ReadonlyMap<string | undefined, Account>;
  /** Of the sessions that made a call, in the order they were given. */
  readonly sessions: readonly AccountedSession[];
  /** When the first and the last of the calls were sent. */
  readonly span: { readonly from: Timestamp; readonly to: Timestamp } | undefined;
}

/** One session among them. */
export interface AccountedSession {
  readonly session: SessionId;
  readonly account: Account;
  /** Over the whole session, whatever `since` says. */
  readonly churn: Churn['changes'];
  readonly appended: number;
}

/** The accounts of no session. */
export const NO_ACCOUNTS: Accounts = { whole: NO_CALLS, groups: new Map(), sessions: [], span: undefined };

/** The accounts with one more session. @throws LogError as the store does. */
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
    else if (options.since === undefined || step.call.at >= options.since) {
      const account = accountOf(step.call, options.as);
      const group = groupOf(options.by, step.call);
      groups.set(group, addAccounts(groups.get(group) ?? NO_CALLS, account));
      own = addAccounts(own, account);
      span = spanning(span, step.call);
    }
  }
  if (own === NO_CALLS) return accounts;
  const { changes, appended } = churn;
  const sessions = [...accounts.sessions, { session, account: own, churn: changes, appended }];
  return { whole: addAccounts(accounts.whole, own), groups, sessions, span };
}

function spanning(span: Accounts['span'], { at }: ModelCall): Accounts['span'] {
  if (span === undefined) return { from: at, to: at };
  return { from: at < span.from ? at : span.from, to: at > span.to ? at : span.to };
}

type ReadCall = { readonly type: 'call'; readonly call: ModelCall } | { readonly type: 'churn'; readonly churn: Churn };

/** The session's own calls, and what changed under them. */
async function* readCalls(log: Log, session: SessionId, rowOf: RowOf): AsyncGenerator<ReadCall> {
  let following: Following = beginFollowing(session);
  let churn = beginChurn(session);
  let imported = false;
  const rows = new Map<string, Capabilities>();
  const find: RowOf = (provider, model) => rows.get(`${provider} ${model}`) ?? rowOf(provider, model);
  for await (const record of log.read(session)) {
    if (record.kind === 'session.created') imported = record.data.imported !== undefined;
    if (record.kind === 'epoch.opened' && !imported) await learnRow(log, record.data, rows);
    churn = addChurn(churn, record);
    const followed = followRecord(following, record, find);
    following = followed.following;
    for (const call of followed.calls) yield { type: 'call', call };
  }
  for (const call of endFollowing(following)) yield { type: 'call', call };
  yield { type: 'churn', churn };
}

/** The row that the epoch was opened with, which a later catalog may hold otherwise. An import names a model alone. */
async function learnRow({ artifacts }: Log, opened: EpochOpened, rows: Map<string, Capabilities>): Promise<void> {
  if (!(await artifacts.has(opened.capabilities))) return;
  rows.set(`${opened.provider} ${opened.model}`, await loadCapabilities(artifacts, opened));
}
