// Beginning of a session: its first own record contains the id of the session and its parent. This record is checked
// both when it is written and when it is read.

import { LogError } from './errors.ts';
import type { Event, Recorded, RecordedOf } from './event.ts';
import type { Parent } from './events/session.ts';
import type { SessionId } from './ids.ts';

/** First own record of a session, and its position. */
export interface SessionBeginning {
  readonly session: SessionId;
  /**
   * Position of the session's first own record. It is 0 for a session that is not a fork. For a fork, it is the
   * position after the last record that the fork shares with its parent.
   */
  readonly start: number;
  readonly record: RecordedOf<'session.created'>;
}

/**
 * Returns the session's first own record with its position. Returns `undefined` if the record is not this session's
 * `session.created` or has the wrong position.
 */
export function beginningOf(session: SessionId, first: Recorded): SessionBeginning | undefined {
  if (first.kind !== 'session.created' || first.data.id !== session) return undefined;
  const start = startOf(first.data.parent);
  return first.position === start ? { session, start, record: first } : undefined;
}

function startOf(parent: Parent | undefined): number {
  return parent === undefined ? 0 : parent.position + 1;
}

/**
 * Checks events before an append. The first own record of a session must be `session.created` with the id and the
 * parent of the session. No later record may have this kind. `empty` is true if the session has no own record yet.
 *
 * @throws LogError `log/first-record` if an event breaks this rule.
 */
export function checkBeginning(
  events: readonly Event[],
  session: SessionId,
  parent: Parent | undefined,
  empty: boolean,
): void {
  events.forEach((event, index) => {
    const first = empty && index === 0;
    if (first !== (event.kind === 'session.created')) throw firstRecord(session, event.kind, index);
    if (event.kind !== 'session.created') return;
    if (event.data.id !== session || !isSameParent(event.data.parent, parent))
      throw firstRecord(session, event.kind, index);
  });
}

/** Returns true if both are the same record of the same session, or both are absent. */
export function isSameParent(a: Parent | undefined, b: Parent | undefined): boolean {
  return a?.session === b?.session && a?.position === b?.position && a?.chain === b?.chain;
}

function firstRecord(session: SessionId, kind: string, index: number): LogError {
  return new LogError(
    'log/first-record',
    `Event ${index} of this append, a ${kind}, is not allowed. The first record of session ${session} must be its session.created, with the id and the parent of the session, and no other record may be a session.created. Nothing was written.`,
    { session, kind, index },
  );
}
