// Converts facts of a recording to events of the replayed log. The events contain the same facts at new positions. The
// bytes to which they refer are copied too. Epochs and requests are not copied, because the replay makes its own.

import { defined } from '@tidemark/core';
import { readArtifact } from '@tidemark/agent';
import type {
  Artifacts,
  ContentPart,
  Digest,
  Event,
  Parent,
  Range,
  Recorded,
  RecordedOf,
  SessionId,
} from '@tidemark/log';
import { position as asPosition } from '@tidemark/log';

/** Replayed session to which the facts of a recorded session are copied. */
export interface Destination {
  readonly id: SessionId;
  readonly root: SessionId;
  readonly parent?: Parent;
  /** Returns the name of the replayed session for a recorded session. */
  readonly name: (session: SessionId) => SessionId;
  /**
   * Number of records in the replayed log after each recorded event. The index is the position of the recorded event.
   */
  readonly lengths: readonly number[];
  /**
   * Like `lengths`, but for the log of the parent from which this session was forked. Ends at the position up to which
   * the parent has been replayed.
   */
  readonly trunk: readonly number[];
  /** True if the replayed session already contains one of its own records. */
  readonly begun: boolean;
}

/**
 * Returns a recorded fact as an event of the replayed log. Returns `undefined` for a fact that the replay makes itself
 * or does not need.
 */
export function carryEvent(record: Recorded, to: Destination): Event | undefined {
  switch (record.kind) {
    case 'unknown':
    case 'epoch.opened':
    case 'request.prepared':
    case 'request.observed':
    case 'foreign.recorded':
      return undefined;
    case 'session.created':
      // A fork that is replayed without its parent has several `session.created` records. Only the first one becomes an
      // event.
      return to.begun ? undefined : createdEvent(record, to);
    case 'history.compacted':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moveRange(record.data.range, to) } };
    case 'branch.summarized':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moveRange(record.data.range, to) } };
    case 'subagent.started':
      return { kind: record.kind, at: record.at, data: { ...record.data, child: to.name(record.data.child) } };
    case 'answer.received': {
      // The request of the recording is not copied, so the answer has none.
      const { request: _request, ...data } = record.data;
      return { ...bare(record), kind: record.kind, data };
    }
    case 'answer.interrupted': {
      const { request: _request, ...data } = record.data;
      return { ...bare(record), kind: record.kind, data };
    }
    default:
      return bare(record);
  }
}

function createdEvent(record: RecordedOf<'session.created'>, { id, root, parent }: Destination): Event {
  const { workspace, title } = record.data;
  const data = defined({ id, root, workspace, title, parent });
  return { kind: 'session.created', at: record.at, data };
}

function bare(record: Exclude<Recorded, { kind: 'unknown' }>): Event {
  const { v: _v, position: _position, fence: _fence, chain: _chain, ...event } = record;
  return event;
}

/** Returns the range of the replayed log that matches a range of recorded positions. */
function moveRange(range: Range, { lengths, trunk }: Destination): Range {
  const lengthAfter = (place: number): number => lengths[place] ?? trunk[place] ?? 0;
  const from = range.from === 0 ? 0 : lengthAfter(range.from - 1);
  return { from: asPosition(from), to: asPosition(Math.max(from, lengthAfter(range.to) - 1)) };
}

/**
 * Copies the bytes to which an event refers to the store of the replayed log. Bytes that this store already has are not
 * copied.
 */
export async function carryBytes(event: Event, from: Artifacts, to: Artifacts): Promise<void> {
  if (from === to) return;
  for (const name of namedBy(event)) if (!(await to.has(name))) await to.put(await readArtifact(from, name));
}

function namedBy(event: Event): readonly Digest[] {
  switch (event.kind) {
    case 'prompt.given':
    case 'tool.returned':
    case 'tool.failed':
      return event.data.parts.flatMap(bytesOf);
    case 'context.noted':
      return event.data.artifact === undefined ? [] : [event.data.artifact];
    default:
      return [];
  }
}

function bytesOf(part: ContentPart): readonly Digest[] {
  return part.type === 'text' || part.artifact === undefined ? [] : [part.artifact];
}
