// Audits the logs of the demo. Explains and verifies each session, and finds out which session sent each request.

import type { Explanation } from '@tidemark/agent';
import { explainSession, verifySession } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';

import { encoders } from '../reports/encoders.ts';

/** Result of the verification of one or more sessions. */
export interface VerifiedSessions {
  readonly sessions: number;
  readonly explained: readonly Explanation[];
  readonly records: number;
  /** Number of requests that were rebuilt. */
  readonly requests: number;
  /** Number of rebuilt requests whose bytes differ from the sent bytes. */
  readonly differences: number;
  readonly breaks: number;
  /** Session that sent each request body. The key is the digest of the body. */
  readonly senders: ReadonlyMap<string, SessionId>;
}

const NOTHING: VerifiedSessions = {
  sessions: 0,
  explained: [],
  records: 0,
  requests: 0,
  differences: 0,
  breaks: 0,
  senders: new Map(),
};

/**
 * Explains and verifies these sessions, and returns one combined result.
 *
 * @throws LogError when the store cannot read a session.
 */
export async function verifySessions(log: Log, sessions: readonly SessionId[]): Promise<VerifiedSessions> {
  let verified = NOTHING;
  for (const session of sessions) verified = await withSession(verified, log, session);
  return verified;
}

async function withSession(verified: VerifiedSessions, log: Log, session: SessionId): Promise<VerifiedSessions> {
  const { explained } = await explainSession(log, session, encoders);
  const { records, requests, differences, breaks } = await verifySession(log, session, { encoders });
  const senders = new Map(verified.senders);
  for await (const { kind, data } of log.read(session))
    if (kind === 'request.prepared') senders.set(data.digest, session);
  return {
    sessions: verified.sessions + 1,
    explained: [...verified.explained, ...explained],
    records: verified.records + records,
    requests: verified.requests + requests,
    differences: verified.differences + differences.length,
    breaks: verified.breaks + breaks.length,
    senders,
  };
}
