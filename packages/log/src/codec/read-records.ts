// Reads chunks of a log into records. Layout, checksum, position, fence and chain are checked on raw bytes. Damage is
// reported after all valid records before it.

import type { DamagePlace } from '../errors.ts';
import { LogError } from '../errors.ts';
import type { Recorded } from '../event.ts';
import { decodeRecord } from './decode-record.ts';
import { holdsLostNewline } from './find-records.ts';
import type { BytePort, SoundLine } from './line.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import type { RawLine } from './split-lines.ts';
import { LONGEST_LINE, createLineSplitter } from './split-lines.ts';
import type { Tip } from './tip.ts';

/** Options of a record reader: the file, the starting point and the range. */
export interface ReadFrom {
  /** Path of the file, used in error messages. */
  readonly path: string;
  /** State of the log before the first byte that the reader gets: its length, chain value and fence. */
  readonly tip: Tip;
  /** Offset of the first byte that will be read, and the 1-based number of the line that begins there. */
  readonly offset: number;
  readonly line: number;
  /** First position whose record is decoded and returned. Records before it are only checked. */
  readonly from: number;
  /** Position after the last record that is read. */
  readonly to: number;
  /** True to compute the chain again and compare it with the recorded one. */
  readonly verifyChain?: boolean;
  /** Called with each valid line in order. Lines before `from` are included. */
  readonly onLine?: (line: SoundLine, bytes: Uint8Array) => void;
}

/** Result of reading one chunk: the valid records, and the first damage after them, if any. */
export interface RecordBatch {
  readonly records: readonly Recorded[];
  readonly failure?: LogError;
}

/** Reads a log chunk by chunk. After a failure, or after `done` becomes true, it reads nothing more. */
export interface RecordReader {
  read(chunk: Uint8Array): RecordBatch;
  /**
   * Checks the bytes after the last newline of the file. If they begin with a whole record and the next byte is not a
   * newline, the newline was damaged, and an error is returned. If they are an incomplete record, `undefined` is
   * returned.
   */
  end(): LogError | undefined;
  /** State of the log after the valid records that were read so far. */
  readonly tip: Tip;
  /** Offset of the first byte after the last valid record. */
  readonly offset: number;
  /** Number of bytes after the last newline. */
  readonly pending: number;
  /** True after `to` was reached or after a failure. */
  readonly done: boolean;
}

type ReadStep = Recorded | LogError | undefined;

/** Creates a reader that starts at a boundary between two records. */
export function createRecordReader(start: ReadFrom, bytes: BytePort): RecordReader {
  const splitter = createLineSplitter(start.offset, start.line);
  let { tip, offset } = start;
  let failed = false;

  function step(raw: RawLine): ReadStep {
    const sound = checkLine(raw.bytes, bytes);
    if (typeof sound === 'string') return damaged(start.path, raw, sound, LINE_FAULTS[sound]);
    const wrong = placeError(start, raw, sound, tip, bytes);
    if (wrong !== undefined) return wrong;
    const record = sound.position < start.from ? undefined : decodeRecord(raw.bytes, sound, bytes);
    if (record !== undefined && 'phase' in record) return damaged(start.path, raw, record.phase, record.reason);
    start.onLine?.(sound, raw.bytes);
    const chain = record === undefined ? chainIn(raw.bytes, sound, bytes) : record.chain;
    tip = { length: tip.length + 1, chain, fence: sound.fence };
    offset = raw.offset + raw.bytes.length + 1;
    return record;
  }

  function read(chunk: Uint8Array): RecordBatch {
    const records: Recorded[] = [];
    if (failed) return { records };
    for (const raw of splitter.split(chunk)) {
      if (tip.length >= start.to) break;
      const result = step(raw);
      if (result instanceof LogError) {
        failed = true;
        return { records, failure: result };
      }
      if (result !== undefined) records.push(result);
    }
    if (!splitter.tooLong || tip.length >= start.to) return { records };
    failed = true;
    return { records, failure: endlessLine(start.path, splitter.tail()) };
  }

  function end(): LogError | undefined {
    if (failed || tip.length >= start.to) return undefined;
    const tail = splitter.tail();
    failed = holdsLostNewline(tail.bytes, bytes);
    return failed ? lostNewline(start.path, tail) : undefined;
  }

  return {
    read,
    end,
    get tip() {
      return tip;
    },
    get offset() {
      return offset;
    },
    get pending() {
      return splitter.pending;
    },
    get done() {
      return failed || tip.length >= start.to;
    },
  };
}

const LINE_FAULTS = {
  frame: 'the line does not have the layout of a record',
  checksum: 'the bytes of the line differ from the bytes that were written',
} as const;

function placeError(start: ReadFrom, raw: RawLine, line: SoundLine, tip: Tip, bytes: BytePort): LogError | undefined {
  const wrong = outOfSequence(line, tip);
  if (wrong !== undefined) return damaged(start.path, raw, 'sequence', wrong);
  if (line.v !== 1) return unknownRevision(start.path, raw, line.v);
  if (start.verifyChain !== true) return undefined;
  if (chainBehind(tip.chain, headOf(raw.bytes, line), bytes) === chainIn(raw.bytes, line, bytes)) return undefined;
  const reason = `the chain after position ${line.position} does not follow from the records before it`;
  return damaged(start.path, raw, 'chain', reason);
}

function outOfSequence(line: SoundLine, tip: Tip): string | undefined {
  if (line.position !== tip.length)
    return `the line has position ${line.position}, but position ${tip.length} is expected`;
  if (line.fence < tip.fence) return `the older writer ${line.fence} wrote after writer ${tip.fence}`;
  return undefined;
}

/** Returns the error for damage at a line of a log. */
export function damaged(
  path: string,
  line: Omit<RawLine, 'bytes'>,
  phase: DamagePlace['phase'],
  reason: string,
): LogError {
  const place: DamagePlace = { path, line: line.number, offset: line.offset, phase };
  return new LogError(
    'log/damaged',
    `${path} is damaged at line ${line.number}, byte ${line.offset} (${phase}): ${reason}. Nothing was changed. ` +
      '`tidemark doctor` shows how to copy all records that can be recovered into a new session.',
    { ...place, reason },
  );
}

/** Returns the error for a last record that is followed by a byte other than a newline. */
export function lostNewline(path: string, tail: Omit<RawLine, 'bytes'>): LogError {
  return damaged(path, tail, 'frame', 'a complete record is followed by a byte that is not a newline');
}

/** Returns the error for a line that does not end within `LONGEST_LINE` bytes. */
export function endlessLine(path: string, tail: Omit<RawLine, 'bytes'>): LogError {
  return damaged(path, tail, 'frame', `no line ends within ${LONGEST_LINE} bytes`);
}

function unknownRevision(path: string, line: RawLine, v: number): LogError {
  return new LogError(
    'log/unknown-revision',
    `${path}, line ${line.number}, was written in revision ${v}; this build reads revision 1. Open it with a newer build.`,
    { path, line: line.number, offset: line.offset, revision: v },
  );
}
