// Summaries of a session's latest requests: sizes by section, markers, and the shape of the body without its texts.
// They are computed from the log (L9) and are not stored.

import { defined } from '@tidemark/core';
import type { Sequence } from '@tidemark/context';
import type { EpochCause, Log, MarkerRecord, Position, RequestPrepared, SessionId, Timestamp } from '@tidemark/log';
import type { JsonValue, Section } from '@tidemark/model';
import { blocksOf } from '../request/request-record.ts';
import type { Encoders, Rebuilt } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';

interface SectionSize {
  readonly blocks: number;
  readonly bytes: number;
  /** Estimated tokens. */
  readonly tokens: number;
}

/** Summary of one request: its shape and its sizes. */
export interface RequestSnapshot {
  readonly position: Position;
  readonly step: number;
  readonly stream: string;
  readonly purpose: string;
  readonly at: Timestamp;
  readonly model: string;
  /**
   * Relation to the previous request. `opens`: the request opens an epoch. `inherits`: it is the first request of a
   * fork and continues from a request of the parent. `extends`: any other request.
   */
  readonly relation: RequestPrepared['relation'];
  /** Cause of the epoch that the request opens. */
  readonly opened?: EpochCause;
  readonly bytes: number;
  readonly sections: { readonly [section in Section]: SectionSize };
  readonly markers: readonly (Pick<MarkerRecord, 'block' | 'ttl'> & { readonly section: Section })[];
  /** Structure and sizes of the body without its texts. Absent if the body is not JSON. */
  readonly shape?: JsonValue;
}

/** Default for the maximum number of requests in the list. Reports also use it as the maximum number of sessions. */
export const SNAPSHOTS_KEPT = 24;

/**
 * Returns the latest requests of a session, oldest first. For a fork, the requests of its parent are not included.
 *
 * @throws as `rebuildSession` does.
 */
export async function requestSnapshots(
  log: Log,
  session: SessionId,
  encoders: Encoders,
  kept: number = SNAPSHOTS_KEPT,
): Promise<readonly RequestSnapshot[]> {
  const latest = new Set(await latestRequests(log, session, kept));
  const found: RequestSnapshot[] = [];
  const only = ({ position }: Rebuilt['record']): boolean => latest.has(position);
  for await (const step of rebuildSession(log, session, { encoders, only, unmade: () => undefined }))
    if (step.type === 'request') found.push(snapshotOf(step.rebuilt));
  return found;
}

async function latestRequests(log: Log, session: SessionId, kept: number): Promise<readonly Position[]> {
  let requests: Position[] = [];
  for await (const { kind, data, position } of log.read(session)) {
    // Requests before the fork's own `session.created` belong to its parent.
    if (kind === 'session.created' && data.id === session) requests = [];
    if (kind === 'request.prepared') requests.push(position);
    if (requests.length > 2 * kept) requests = requests.slice(-kept);
  }
  return requests.slice(-kept);
}

function snapshotOf({ record, promptStream, state, body }: Rebuilt): RequestSnapshot {
  const { step, stream, purpose, bytes, relation, markers } = record.data;
  const shape = redactBody(body());
  const opened = relation === 'opens' ? state.epoch?.opened.cause : undefined;
  return defined({
    position: record.position,
    step,
    stream,
    purpose,
    at: record.at,
    model: promptStream.materials.epoch.opened.model,
    relation,
    opened,
    bytes,
    sections: sectionsOf(promptStream.sequence),
    markers: markers.map(({ block, ttl }) => ({ block, ttl, section: sectionAt(promptStream.sequence, block) })),
    shape,
  });
}

const NOTHING: SectionSize = { blocks: 0, bytes: 0, tokens: 0 };

function sectionsOf(sequence: Sequence): RequestSnapshot['sections'] {
  const sizes: { [section in Section]: SectionSize } = { tools: NOTHING, system: NOTHING, messages: NOTHING };
  for (const { section, head, tail, tokens } of blocksOf(sequence)) {
    const { blocks, bytes, tokens: before } = sizes[section];
    const own = Buffer.byteLength(head) + Buffer.byteLength(tail);
    sizes[section] = { blocks: blocks + 1, bytes: bytes + own, tokens: before + tokens };
  }
  return sizes;
}

function sectionAt({ counts }: Sequence, block: number): Section {
  if (block < counts.tools) return 'tools';
  return block < counts.tools + counts.system ? 'system' : 'messages';
}

/** Fields whose texts are kept, because they are words of the wire format and not content. */
const FORMAT_WORDS: ReadonlySet<string> = new Set([
  'type',
  'role',
  'model',
  'ttl',
  'effort',
  'phase',
  'status',
  'mode',
]);

/** Fields that contain free JSON. Only their size is shown, because even the field names inside may be content. */
const FREE: ReadonlySet<string> = new Set(['input', 'input_schema', 'parameters', 'schema', 'arguments', 'metadata']);

/**
 * Returns the shape of a body: its structure, with the size of each text in place of the text. Returns `undefined` if
 * the body is not JSON.
 */
export function redactBody(body: Uint8Array): JsonValue | undefined {
  try {
    const parsed: JsonValue = JSON.parse(new TextDecoder().decode(body));
    return redact(parsed, '');
  } catch {
    // Some encoders write bodies that are not JSON.
    return undefined;
  }
}

function redact(value: JsonValue, field: string): JsonValue {
  if (typeof value === 'string') return FORMAT_WORDS.has(field) ? value : `${Buffer.byteLength(value)} bytes`;
  if (Array.isArray(value)) {
    // In the Responses API, `input` is the list of messages. In other places `input` contains free JSON.
    return value.map((one: JsonValue) => redact(one, field === 'input' ? '' : field));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (FREE.has(field)) return `${Buffer.byteLength(JSON.stringify(value))} bytes`;
  const fields = Object.entries(value).flatMap(([name, one]): readonly (readonly [string, JsonValue])[] =>
    one === undefined ? [] : [[name, redact(one, name)]],
  );
  return Object.fromEntries(fields);
}
