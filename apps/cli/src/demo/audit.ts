// Audits the logs of the demo: explains and verifies each session, and finds the session that sent each request.

import type { Explanation } from '@tidemark/agent';
import { explainSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';

import { encoders } from '../reports/encoders.ts';

/** Combined results of the audit of one or more sessions. */
export interface Audit {
  readonly sessions: number;
  readonly explained: readonly Explanation[];
  readonly records: number;
  /** Number of requests that were rebuilt. */
  readonly requests: number;
  /** Number of rebuilt requests whose bytes differ from those that were sent. */
  readonly differences: number;
  readonly breaks: number;
  /** Session that sent each request body. The key is the digest of the body. */
  readonly senders: ReadonlyMap<string, SessionId>;
}

const NOTHING: Audit = {
  sessions: 0,
  explained: [],
  records: 0,
  requests: 0,
  differences: 0,
  breaks: 0,
  senders: new Map(),
};

/**
 * Explains and verifies these sessions, and returns one audit of all of them.
 *
 * @throws LogError when the store cannot read a session.
 */
export async function auditSessions(log: Log, sessions: readonly SessionId[]): Promise<Audit> {
  let audit = NOTHING;
  for (const session of sessions) audit = await withSession(audit, log, session);
  return audit;
}

async function withSession(audit: Audit, log: Log, session: SessionId): Promise<Audit> {
  const { explained } = await explainSession(log, session, encoders);
  const { records, requests, differences, breaks } = await verifySession(log, session, { encoders });
  const senders = new Map(audit.senders);
  for await (const { kind, data } of log.read(session))
    if (kind === 'request.prepared') senders.set(data.digest, session);
  return {
    sessions: audit.sessions + 1,
    explained: [...audit.explained, ...explained],
    records: audit.records + records,
    requests: audit.requests + requests,
    differences: audit.differences + differences.length,
    breaks: audit.breaks + breaks.length,
    senders,
  };
}
