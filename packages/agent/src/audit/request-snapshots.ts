// The latest requests of a session in short: sizes by section, markers, and the shape of the body without its texts. A view
// made from the log (L9): nothing of it is kept.

import { defined } from '@tidemark/core';
import type { Sequence } from '@tidemark/context';
import type { EpochCause, Log, MarkerRecord, Position, RequestPrepared, SessionId, Timestamp } from '@tidemark/log';
import type { JsonValue, Section } from '@tidemark/model';
import { blocksOf } from '../request/request-record.ts';
import type { Encoders, Rebuilt } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';

/** How much of a request one section is. */
interface SectionSize {
  readonly blocks: number;
  readonly bytes: number;
  /** Estimated. */
  readonly tokens: number;
}

/** One request in short: its shape, sizes and cost. */
export interface RequestSnapshot {
  readonly position: Position;
  readonly step: number;
  readonly stream: string;
  readonly purpose: string;
  readonly at: Timestamp;
  readonly model: string;
  /** It opens an epoch, inherits the one in force, or goes on from the request before it. */
  readonly relation: RequestPrepared['relation'];
  /** The cause of the epoch that it opens. */
  readonly opened?: EpochCause;
  readonly bytes: number;
  readonly sections: { readonly [section in Section]: SectionSize };
  readonly markers: readonly (Pick<MarkerRecord, 'block' | 'ttl'> & { readonly section: Section })[];
  /** Structure and sizes alone; absent where the body is no JSON. */
  readonly shape?: JsonValue;
}

/** How many requests of a session are shown, and of how many sessions. */
export const SNAPSHOTS_KEPT = 24;

/** The latest requests of a session, oldest first; of a fork, its own. @throws as `rebuildSession` does. */
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
    // What stands before a fork's own beginning is its parent's.
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

/** Fields whose words are the wire format's own, and so no content. */
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

/** Fields that hold free JSON: even their names may be content. */
const FREE: ReadonlySet<string> = new Set(['input', 'input_schema', 'parameters', 'schema', 'arguments', 'metadata']);

/** The shape, or `undefined` of a body that is no JSON. */
export function redactBody(body: Uint8Array): JsonValue | undefined {
  try {
    const parsed: JsonValue = JSON.parse(new TextDecoder().decode(body));
    return redact(parsed, '');
  } catch {
    // Said by the type: some encoders write no JSON.
    return undefined;
  }
}

function redact(value: JsonValue, field: string): JsonValue {
  if (typeof value === 'string') return FORMAT_WORDS.has(field) ? value : `${Buffer.byteLength(value)} bytes`;
  if (Array.isArray(value)) {
    // A conversation is such a list too, under a name that holds free JSON elsewhere.
    return value.map((one: JsonValue) => redact(one, field === 'input' ? '' : field));
  }
  if (typeof value !== 'object' || value === null) return value;
  if (FREE.has(field)) return `${Buffer.byteLength(JSON.stringify(value))} bytes`;
  const fields = Object.entries(value).flatMap(([name, one]): readonly (readonly [string, JsonValue])[] =>
    one === undefined ? [] : [[name, redact(one, name)]],
  );
  return Object.fromEntries(fields);
}
