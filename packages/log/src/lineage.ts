// Combines the logs of a fork and its ancestors, and checks the records at which they fork. A fork refers to its
// parent's log instead of copying it (L5).

import type { SessionBeginning } from './beginning.ts';
import { LogError } from './errors.ts';
import type { Recorded } from './event.ts';
import type { Parent } from './events/session.ts';
import type { SessionId } from './ids.ts';

/** Part of a session's log that is in one file. */
export interface LogSegment {
  readonly session: SessionId;
  /** Position of the first record of the segment. */
  readonly start: number;
  /**
   * Position after the last record of the segment. `Infinity` for the segment of the session itself, which has no end.
   */
  readonly end: number;
}

/** Files that contain the log of a session: the files of its ancestors and its own. */
export interface Lineage {
  /** Segments in order of position: the first ancestor first, the session itself last. */
  readonly segments: readonly LogSegment[];
  /**
   * For each parent, the last record that its fork shares, in order of position. Each of these records must still have
   * the recorded chain value.
   */
  readonly joints: readonly Parent[];
}

/**
 * Collects the segments of a session and of all its ancestors.
 *
 * @throws LogError `log/parent-missing` when an ancestor does not exist, `log/parent-diverged` when a session is its
 *   own ancestor.
 */
export async function lineageOf(
  session: SessionId,
  begin: (session: SessionId) => Promise<SessionBeginning>,
): Promise<Lineage> {
  const own = await begin(session);
  const segments: LogSegment[] = [{ session, start: own.start, end: Infinity }];
  const joints: Parent[] = [];
  let end = Infinity;
  for (let parent = own.record.data.parent; parent !== undefined;) {
    if (segments.some((known) => known.session === parent?.session))
      throw diverged(parent, 'that session is its own ancestor');
    if (parent.position + 1 < end) joints.unshift(parent);
    end = Math.min(end, parent.position + 1);
    const above = await beginParent(parent, begin);
    segments.unshift({ session: above.session, start: above.start, end });
    parent = above.record.data.parent;
  }
  return { segments, joints };
}

async function beginParent(
  parent: Parent,
  begin: (session: SessionId) => Promise<SessionBeginning>,
): Promise<SessionBeginning> {
  try {
    return await begin(parent.session);
  } catch (cause) {
    if (!(cause instanceof LogError) || cause.code !== 'log/missing') throw cause;
    const message = `The log continues session ${parent.session}, which does not exist here. Restore that session, then open this one again.`;
    throw new LogError('log/parent-missing', message, { parent: parent.session, position: parent.position }, cause);
  }
}

/**
 * Reads the records from `from` (inclusive) to `to` (exclusive) through all segments, in batches.
 *
 * @throws LogError `log/parent-diverged` when an ancestor no longer contains the record at which the fork was made.
 */
export async function* readLineage(
  { segments, joints }: Lineage,
  from: number,
  to: number,
  readOwn: (session: SessionId, from: number, to: number) => AsyncIterable<readonly Recorded[]>,
): AsyncGenerator<readonly Recorded[]> {
  for (const segment of segments) {
    const first = Math.max(from, segment.start);
    const end = Math.min(to, segment.end);
    if (first >= end) continue;
    let next = first;
    for await (const batch of readOwn(segment.session, first, end)) {
      for (const joint of joints) checkJoint(joint, batch[joint.position - next]);
      next += batch.length;
      yield batch;
    }
    const short = joints.find((joint) => joint.position + 1 === end);
    if (short !== undefined && next < end) throw diverged(short, `that session ends before position ${short.position}`);
  }
}

function checkJoint(joint: Parent, record: Recorded | undefined): void {
  if (record !== undefined && record.chain !== joint.chain)
    throw diverged(joint, 'that position now contains another record');
}

/** Returns the error for a parent whose log no longer contains the record at which the fork was made. */
export function diverged(parent: Parent, reason: string): LogError {
  return new LogError(
    'log/parent-diverged',
    `The log continues from position ${parent.position} of session ${parent.session}, but ${reason}. Nothing was changed; restore the log of the parent.`,
    { parent: parent.session, position: parent.position, reason },
  );
}
