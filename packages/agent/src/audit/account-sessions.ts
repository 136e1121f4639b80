// Sums tokens and cost over any number of sessions. Each log is read only one time, and only the sums are kept in
// memory.

import type { Account, Churn, GroupBy, ModelCall, RowOf } from '@tidemark/context';
import { NO_CALLS, accountOf, accountOfCharge, addAccounts, addChurn, beginChurn, groupOf } from '@tidemark/context';
import type { Log, RecordedOf, SessionId, Timestamp } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { createCallReader, createRowLoader } from './call-reader.ts';

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
  /** Sessions that could not be read to their end. Their calls before the damage are in the sums. */
  readonly problems: readonly PartlyRead[];
}

/** Session whose log can only be read up to a damage. */
export interface PartlyRead {
  readonly session: SessionId;
  readonly error: LogError;
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
export const NO_ACCOUNTS: Accounts = {
  whole: NO_CALLS,
  groups: new Map(),
  sessions: [],
  span: undefined,
  problems: [],
};

/**
 * Adds the calls of a session to the accounts. Returns the accounts unchanged if the session has no call to include. If
 * the log is damaged, adds the calls before the damage, and names the session in `problems`.
 *
 * @throws LogError `log/missing`.
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
  const problems = [...accounts.problems];
  for await (const step of readCalls(log, session, options.rowOf)) {
    if (step.type === 'churn') churn = step.churn;
    else if (step.type === 'problem') problems.push({ session, error: step.error });
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
  if (own === NO_CALLS) return problems.length === accounts.problems.length ? accounts : { ...accounts, problems };
  const { changes, appended } = churn;
  const sessions = [...accounts.sessions, { session, account: own, churn: changes, appended }];
  return { whole: addAccounts(accounts.whole, own), groups, sessions, span, problems };
}

function extendSpan(span: Accounts['span'], { at }: ModelCall): Accounts['span'] {
  if (span === undefined) return { from: at, to: at };
  return { from: at < span.from ? at : span.from, to: at > span.to ? at : span.to };
}

type ReadCall =
  | { readonly type: 'call'; readonly call: ModelCall }
  | { readonly type: 'charge'; readonly charge: RecordedOf<'tool.charged'> }
  | { readonly type: 'churn'; readonly churn: Churn }
  | { readonly type: 'problem'; readonly error: LogError };

async function* readCalls(log: Log, session: SessionId, rowOf: RowOf): AsyncGenerator<ReadCall> {
  const reader = createCallReader(log.artifacts, session, { rowOf, loadRow: createRowLoader(log.artifacts) });
  let churn = beginChurn(session);
  try {
    for await (const record of log.read(session)) {
      await reader.load(record);
      churn = addChurn(churn, record);
      const calls = reader.take(record);
      if (record.kind === 'tool.charged' && reader.isOwn) yield { type: 'charge', charge: record };
      for (const call of calls) yield { type: 'call', call };
    }
  } catch (error) {
    if (!(error instanceof LogError) || error.code === 'log/missing') throw error;
    yield { type: 'problem', error };
  }
  for (const call of reader.unread()) yield { type: 'call', call };
  yield { type: 'churn', churn };
}
