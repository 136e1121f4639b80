// Inspects a session from end to end: every checksum, every payload, the whole chain, and every place at which a fork
// continues its parent.

import type { FileHandle } from 'node:fs/promises';
import { FileError, readRegularFile, nodeBytes } from '@tidemark/files';
import type { DamagePlace, Digest, Lineage, LogSegment, Position, Recorded, SessionId, Tip } from '@tidemark/log';
import { EMPTY_TIP, LogError, checkLine, createLineSplitter, decodeSnapshot, namedArtifacts } from '@tidemark/log';
import { createArtifacts } from './artifacts.ts';
import { openFile, unlessGone } from './file-port.ts';
import type { Home, NdjsonOptions } from './home.ts';
import { artifactPaths, openHome, roomPaths } from './home.ts';
import { chunksOf, readOn, withLog } from './read-log.ts';
import { lineage } from './read-session.ts';
import { MAX_SNAPSHOT } from './snapshots.ts';

/** Result of inspecting a session. */
export interface Inspection {
  readonly session: SessionId;
  /** Number of sound records from the beginning to the first damage, including those of ancestors. */
  readonly records: number;
  /**
   * Number of bytes after the last newline of the session's own file. These bytes are not a record, and the next writer
   * removes them.
   */
  readonly torn: number;
  /** Records whose kind this build does not know, with their positions. */
  readonly unknown: readonly { readonly position: number; readonly name: string }[];
  readonly damage?: Damage;
  /** Path of a damaged snapshot. The snapshot is not used, and its file may be deleted (L9). */
  readonly damagedSnapshot?: string;
  /**
   * Artifacts to which sound records refer and that the home does not have. Present only with the option `artifacts`.
   */
  readonly missing?: readonly MissingArtifact[];
}

export interface MissingArtifact {
  readonly digest: Digest;
  /**
   * Path at which an unpacked artifact would be. An artifact above 4 KiB is packed, and its file name then also ends in
   * `.zst`.
   */
  readonly path: string;
  /** Position of the first record that refers to the artifact. */
  readonly position: Position;
  readonly kind: string;
}

export interface InspectOptions {
  /**
   * True to also check that each artifact to which the session refers exists. The bytes of the artifacts are not read:
   * see `inspectArtifacts`.
   */
  readonly artifacts?: boolean;
}

/** The first damage, where reading stops, and the number of lines after it with a valid checksum. */
export interface Damage extends DamagePlace {
  readonly reason: string;
  /**
   * Number of lines after the damage in the same file whose own checksum is valid. These lines can be read, but their
   * place in the chain cannot be checked.
   */
  readonly soundBehind: number;
}

/**
 * Verifies a whole session, including its ancestors.
 *
 * @throws LogError `log/missing`, `log/parent-missing`, `log/unknown-revision`. Damage is reported in the result and
 *   not thrown.
 */
export function inspectSession(
  store: NdjsonOptions,
  session: SessionId,
  options: InspectOptions = {},
): Promise<Inspection> {
  return inspect(openHome(store), session, options);
}

/** Verifies a session in the same way as `inspectSession`, in a home that is already open. */
export async function inspect(home: Home, session: SessionId, options: InspectOptions = {}): Promise<Inspection> {
  const { snapshot } = roomPaths(home.paths, session);
  const damagedSnapshot = (await isDamaged(snapshot)) ? { damagedSnapshot: snapshot } : {};
  const found = lookFor(home, options);
  const inspection = await inspectLog(home, session, found);
  return { ...inspection, ...damagedSnapshot, ...(options.artifacts === true && { missing: found.missing }) };
}

/**
 * Content used for a snapshot that is a pipe, a folder or too large. This empty content cannot be decoded, so the
 * snapshot is reported as damaged.
 */
const NO_SNAPSHOT = new Uint8Array();

async function isDamaged(snapshot: string): Promise<boolean> {
  const whole = await readRegularFile(snapshot, { most: MAX_SNAPSHOT }).catch((error: unknown) => {
    if (error instanceof FileError) return NO_SNAPSHOT;
    return unlessGone(error);
  });
  return whole !== undefined && decodeSnapshot(whole, nodeBytes) === undefined;
}

async function inspectLog(home: Home, session: SessionId, found: RecordFindings): Promise<Inspection> {
  const { unknown } = found;
  try {
    return await inspectLineage(home, session, await lineage(home, session), found);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/damaged') throw error;
    return { session, records: 0, torn: 0, unknown, damage: await damageAt(error) };
  }
}

interface RecordFindings {
  readonly unknown: { readonly position: number; readonly name: string }[];
  readonly missing: MissingArtifact[];
  take(record: Recorded): Promise<void>;
}

function lookFor({ paths, folders }: Home, options: InspectOptions): RecordFindings {
  const unknown: RecordFindings['unknown'] = [];
  const missing: MissingArtifact[] = [];
  const artifacts = createArtifacts(paths, folders);
  const seen = new Set<Digest>();
  return {
    unknown,
    missing,
    async take(record) {
      const { kind, position } = record;
      if (kind === 'unknown') unknown.push({ position, name: record.name });
      if (options.artifacts !== true) return;
      for (const digest of namedArtifacts(record)) {
        if (seen.has(digest)) continue;
        seen.add(digest);
        if (await artifacts.has(digest)) continue;
        missing.push({ digest, path: artifactPaths(paths, digest).plain, position, kind });
      }
    },
  };
}

async function inspectLineage(
  home: Home,
  session: SessionId,
  { segments, joints }: Lineage,
  found: RecordFindings,
): Promise<Inspection> {
  const { unknown } = found;
  let tip: Tip = EMPTY_TIP;
  let torn = 0;
  for (const segment of segments) {
    if (segment.start >= segment.end) continue;
    const part = await inspectSegment(home, segment, tip, found);
    tip = part.tip;
    torn = part.torn;
    if (part.damage !== undefined) return { session, records: tip.length, torn, unknown, damage: part.damage };
    const joint = joints.find(({ position }) => position + 1 === segment.end);
    if (joint !== undefined && joint.chain !== tip.chain) {
      const reason = `session ${joint.session} no longer contains the record at position ${joint.position}, where it was forked`;
      const damage: Damage = {
        path: part.path,
        line: tip.length - segment.start,
        offset: part.offset,
        phase: 'parent',
        reason,
        soundBehind: 0,
      };
      return { session, records: tip.length, torn, unknown, damage };
    }
  }
  return { session, records: tip.length, torn, unknown };
}

interface InspectedSegment {
  readonly path: string;
  readonly tip: Tip;
  readonly offset: number;
  readonly torn: number;
  readonly damage?: Damage;
}

function inspectSegment(
  home: Home,
  segment: LogSegment,
  before: Tip,
  found: RecordFindings,
): Promise<InspectedSegment> {
  return withLog(home, segment.session, async (log) => {
    const what = { from: segment.start, to: segment.end, verifyChain: true };
    const reading = readOn(home, log, { tip: before, offset: 0 }, what);
    let tip = before;
    try {
      for (;;) {
        const step = await reading.next();
        if (step.done === true) return { path: log.path, tip, offset: step.value.offset, torn: step.value.pending };
        for (const record of step.value) {
          await found.take(record);
          tip = { length: record.position + 1, chain: record.chain, fence: record.fence };
        }
      }
    } catch (error) {
      if (!(error instanceof LogError) || error.code !== 'log/damaged') throw error;
      const damage = await damageAt(error);
      return { path: log.path, tip, offset: damage.offset, torn: 0, damage };
    }
  });
}

async function damageAt(error: LogError): Promise<Damage> {
  const place = placeOf(error);
  const handle = await openFile(place.path);
  try {
    return { ...place, soundBehind: await countSound(handle, place) };
  } finally {
    await handle.close();
  }
}

function placeOf({ data, message }: LogError): Omit<Damage, 'soundBehind'> {
  const { path, line, offset, phase, reason } = data;
  return {
    path: String(path),
    line: Number(line),
    offset: Number(offset),
    phase: PHASES.find((known) => known === phase) ?? 'frame',
    reason: typeof reason === 'string' ? reason : message,
  };
}

const PHASES: readonly DamagePlace['phase'][] = ['frame', 'checksum', 'parse', 'decode', 'sequence', 'chain', 'parent'];

async function countSound(handle: FileHandle, damage: DamagePlace): Promise<number> {
  const splitter = createLineSplitter(damage.offset, damage.line);
  let sound = 0;
  for await (const chunk of chunksOf(handle, damage.offset)) {
    for (const line of splitter.split(chunk)) {
      if (line.number > damage.line && typeof checkLine(line.bytes, nodeBytes) !== 'string') sound += 1;
    }
    if (splitter.tooLong) break;
  }
  return sound;
}
