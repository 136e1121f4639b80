// Facts of a recording as the driven log holds them: the same, at their new places, with the bytes they name. What the
// drive itself decides (epochs, requests) is left behind.

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

/** Where facts go. */
export interface Destination {
  readonly id: SessionId;
  readonly root: SessionId;
  readonly parent?: Parent;
  /** The driven name of a recorded session. */
  readonly name: (session: SessionId) => SessionId;
  /** Length of the driven log after each record. */
  readonly lengths: readonly number[];
  /** The same of the log that this one is a fork of, as far as that was driven. */
  readonly trunk: readonly number[];
  /** Whether it holds a record of its own. */
  readonly begun: boolean;
}

/** A fact as the driven log holds it; nothing for what the drive decides. */
export function carryEvent(record: Recorded, to: Destination): Event | undefined {
  switch (record.kind) {
    case 'unknown':
    case 'epoch.opened':
    case 'request.prepared':
    case 'foreign.recorded':
      return undefined;
    case 'session.created':
      // An ancestor's beginning, where a fork is driven without its parent, is no beginning here.
      return to.begun ? undefined : createdEvent(record, to);
    case 'history.compacted':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moveRange(record.data.range, to) } };
    case 'branch.summarized':
      return { kind: record.kind, at: record.at, data: { ...record.data, range: moveRange(record.data.range, to) } };
    case 'subagent.started':
      return { kind: record.kind, at: record.at, data: { ...record.data, child: to.name(record.data.child) } };
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

/** A range of the recording, where its facts went. */
function moveRange(range: Range, { lengths, trunk }: Destination): Range {
  const lengthAfter = (place: number): number => lengths[place] ?? trunk[place] ?? 0;
  const from = range.from === 0 ? 0 : lengthAfter(range.from - 1);
  return { from: asPosition(from), to: asPosition(Math.max(from, lengthAfter(range.to) - 1)) };
}

/** Copies the bytes that an event names into the store that will hold it. */
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
