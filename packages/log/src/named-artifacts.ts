// Finds the artifacts that a record refers to. The table lists every kind, so a new kind is a type error until it is
// added to the table.

import type { EventData, Kind, Recorded } from './event.ts';
import type { Digest } from './ids.ts';
import type { ContentPart } from './parts.ts';

/**
 * Returns the digests of the artifacts that a record refers to. If a record contains a digest two times, the digest is
 * returned two times. For a record of an unknown kind, the list is empty, because its fields are unknown.
 */
export function namedArtifacts(record: Recorded): readonly Digest[] {
  return record.kind === 'unknown' ? [] : namedBy(record.kind, record.data);
}

function namedBy<K extends Kind>(kind: K, data: EventData[K]): readonly Digest[] {
  return NAMED[kind]?.(data) ?? [];
}

type Namers = { readonly [K in Kind]: ((data: EventData[K]) => readonly Digest[]) | undefined };

const NAMED: Namers = {
  'session.created': undefined,
  'epoch.opened': ({ capabilities, layers, tools }) => [
    capabilities,
    ...layers.map(({ digest }) => digest),
    ...tools.map(({ digest }) => digest),
  ],
  'context.noted': ({ artifact }) => present(artifact),
  'turn.started': undefined,
  'turn.resumed': undefined,
  'prompt.given': ({ parts }) => inParts(parts),
  'prompt.denied': undefined,
  'notification.received': undefined,
  'request.prepared': ({ extra = [] }) => inParts(extra),
  'request.observed': ({ front, tail, missing = [] }) =>
    [...present(front), ...tail].filter((named) => !missing.includes(named)),
  'answer.received': undefined,
  'answer.failed': undefined,
  'answer.interrupted': undefined,
  'tool.started': undefined,
  'tool.returned': ({ parts, output }) => [...inParts(parts), ...present(output)],
  'tool.failed': ({ parts, output }) => [...inParts(parts), ...present(output)],
  'tool.abandoned': undefined,
  'tool.charged': undefined,
  'permission.decided': undefined,
  'mode.changed': undefined,
  'agent.chosen': undefined,
  'foreign.recorded': undefined,
  'tools.changed': ({ added }) => added.map(({ digest }) => digest),
  'reasoning.changed': undefined,
  'reasoning.set': undefined,
  // The `role` digest refers to no artifact, because the event contains the text itself.
  'role.changed': undefined,
  'skill.loaded': undefined,
  'history.compacted': undefined,
  'compaction.refused': undefined,
  'history.pruned': undefined,
  'block.quarantined': undefined,
  'pressure.crossed': undefined,
  'memory.changed': undefined,
  'subagent.started': undefined,
  'subagent.ended': undefined,
  'process.started': undefined,
  'process.ended': undefined,
  'branch.summarized': undefined,
  'turn.ended': undefined,
};

function inParts(parts: readonly ContentPart[]): readonly Digest[] {
  return parts.flatMap((part) => (part.type === 'text' ? [] : present(part.artifact)));
}

function present(digest: Digest | undefined): readonly Digest[] {
  return digest === undefined ? [] : [digest];
}
