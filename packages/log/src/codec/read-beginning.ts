// Reads how a session began. It uses the first line of the session's file. If that line is damaged, it recovers the
// beginning.

import type { SessionBeginning } from '../beginning.ts';
import { beginningOf } from '../beginning.ts';
import type { SessionId } from '../ids.ts';
import { CHAIN_START } from '../ids.ts';
import { decodeRecord } from './decode-record.ts';
import { findRecords } from './find-records.ts';
import type { BytePort } from './line.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import { repairCandidates } from './repair-line.ts';
import { createRecordReader, damaged } from './read-records.ts';
import { EMPTY_TIP } from './tip.ts';

/**
 * Reads the first line of a session's own file, newline included, and returns the first own record of the session.
 *
 * @throws LogError `log/damaged` if the line is damaged or does not begin this session.
 * @throws LogError `log/unknown-revision` if a newer build wrote the line.
 */
export function readBeginning(
  session: SessionId,
  path: string,
  firstLine: Uint8Array,
  bytes: BytePort,
): SessionBeginning {
  const sound = checkLine(firstLine.subarray(0, -1), bytes);
  const start = typeof sound === 'string' ? 0 : sound.position;
  const tip = { ...EMPTY_TIP, length: start };
  const reader = createRecordReader({ path, tip, offset: 0, line: 1, from: start, to: start + 1 }, bytes);
  const { records, failure } = reader.read(firstLine);
  if (failure !== undefined) throw failure;
  const beginning = records[0] === undefined ? undefined : beginningOf(session, records[0]);
  if (beginning !== undefined) return beginning;
  throw damaged(path, { number: 1, offset: 0 }, 'sequence', `the line does not begin session ${session}`);
}

const NEWLINE = 0x0a;

/**
 * Recovers the beginning of this session from the first bytes of its file. Returns `undefined` if it cannot be
 * recovered. The bytes must include the first two lines, because a damaged byte can cut the first record into two
 * lines.
 */
export function salvageBeginning(session: SessionId, first: Uint8Array, bytes: BytePort): SessionBeginning | undefined {
  const whole = findRecords(first, bytes).map(({ line }) => line);
  // If a byte was changed into a newline, the first line is cut into two lines. It then ends at the second newline.
  const ends = [first.indexOf(NEWLINE), first.indexOf(NEWLINE, first.indexOf(NEWLINE) + 1)];
  const repaired = ends.filter((end) => end > 0).flatMap((end) => repairCandidates(first.subarray(0, end), bytes));
  for (const line of [...whole, ...repaired]) {
    const beginning = readWhole(session, line, bytes);
    if (beginning !== undefined) return beginning;
  }
  return undefined;
}

function readWhole(session: SessionId, line: Uint8Array, bytes: BytePort): SessionBeginning | undefined {
  const sound = checkLine(line, bytes);
  if (typeof sound === 'string') return undefined;
  const record = decodeRecord(line, sound, bytes);
  const beginning = 'phase' in record ? undefined : beginningOf(session, record);
  if (beginning === undefined) return undefined;
  const before = beginning.record.data.parent?.chain ?? CHAIN_START;
  return chainBehind(before, headOf(line, sound), bytes) === chainIn(line, sound, bytes) ? beginning : undefined;
}
