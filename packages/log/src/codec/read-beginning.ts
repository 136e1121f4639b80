// The first line of a log: whose it is, and at which position it begins.

import { beginningOf } from '../beginning.ts';
import type { SessionBeginning } from '../beginning.ts';
import type { SessionId } from '../ids.ts';
import type { BytePort } from './byte-port.ts';
import { checkLine } from './line.ts';
import { createRecordReader, damaged } from './read-records.ts';
import { EMPTY_TIP } from './tip.ts';

/**
 * Reads the first line of a session's own file, newline included.
 *
 * @throws LogError `log/damaged`, also when the line does not begin this session; `log/unknown-revision`.
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
  throw damaged(path, { number: 1, offset: 0 }, 'sequence', `it does not begin session ${session}`);
}
