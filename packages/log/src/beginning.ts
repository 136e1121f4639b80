// The first record of a session says whose log it is and where it comes from. It is checked when written and when read.

import { LogError } from './errors.ts';
import type { Event, Recorded, RecordedOf } from './event.ts';
import type { Parent } from './events/session.ts';
import type { SessionId } from './ids.ts';

/** How a session's own records begin. */
export interface SessionBeginning {
  readonly session: SessionId;
  /** Position of its first own record. */
  readonly start: number;
  readonly record: RecordedOf<'session.created'>;
}

/**
 * The beginning that a first record gives; `undefined` when it does not begin this session at its place.
 */
export function beginningOf(session: SessionId, first: Recorded): SessionBeginning | undefined {
  if (first.kind !== 'session.created' || first.data.id !== session) return undefined;
  const start = startOf(first.data.parent);
  return first.position === start ? { session, start, record: first } : undefined;
}

/** Position of the first own record of a session with this parent. */
function startOf(parent: Parent | undefined): number {
  return parent === undefined ? 0 : parent.position + 1;
}

/**
 * Checks what is about to be appended: the first record of a session, and only that, is its own `session.created`.
 *
 * @throws LogError `log/first-record`.
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
    if (event.data.id !== session || !sameParent(event.data.parent, parent))
      throw firstRecord(session, event.kind, index);
  });
}

function sameParent(a: Parent | undefined, b: Parent | undefined): boolean {
  return a?.session === b?.session && a?.position === b?.position && a?.chain === b?.chain;
}

function firstRecord(session: SessionId, kind: string, index: number): LogError {
  return new LogError(
    'log/first-record',
    `The first record of session ${session}, and no other, is its session.created, with its id and its parent; event ${index} of this append is a ${kind} that breaks that. Nothing was written.`,
    { session, kind, index },
  );
}
