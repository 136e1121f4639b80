// How a session began, had back from a file whose first line is damaged.

import { beginningOf } from '../beginning.ts';
import type { SessionBeginning } from '../beginning.ts';
import { CHAIN_START } from '../ids.ts';
import type { SessionId } from '../ids.ts';
import type { BytePort } from './byte-port.ts';
import { decodeRecord } from './decode-record.ts';
import { findRecords } from './find-records.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import { mendings } from './mend-line.ts';

const NEWLINE = 0x0a;

/** The beginning of this session, by the first bytes of its file: two lines at least. `undefined` when it is gone. */
export function salvageBeginning(session: SessionId, first: Uint8Array, bytes: BytePort): SessionBeginning | undefined {
  const whole = findRecords(first, bytes).map(({ line }) => line);
  // A byte that became a newline cut the line in two.
  const ends = [first.indexOf(NEWLINE), first.indexOf(NEWLINE, first.indexOf(NEWLINE) + 1)];
  const mended = ends.filter((end) => end > 0).flatMap((end) => mendings(first.subarray(0, end), bytes));
  for (const line of [...whole, ...mended]) {
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
