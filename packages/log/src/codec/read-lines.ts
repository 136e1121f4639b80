// Reads and checks the lines of a session's own records without decoding them, for copying them to another store.

import { checkBeginning } from '../beginning.ts';
import type { Chain, SessionId } from '../ids.ts';
import type { Parent } from '../events/session.ts';
import { CHAIN_START } from '../ids.ts';
import type { RawLines } from '../port.ts';
import type { BytePort } from './line.ts';
import { readBeginning } from './read-beginning.ts';
import { createRecordReader, damaged } from './read-records.ts';
import type { Tip } from './tip.ts';

/** Lines to read: the session, its parent, and the first position whose line is yielded. */
export interface LineRange {
  /** Path of the log in error messages. */
  readonly path: string;
  readonly parent: Parent | undefined;
  readonly from: number;
}

/**
 * Returns the state of a log before the first own record of a session. The fence is 0, because a fork can have a lower
 * fence than its parent.
 */
export function tipBefore(parent: Parent | undefined): Tip {
  const [length, chain]: [number, Chain] =
    parent === undefined ? [0, CHAIN_START] : [parent.position + 1, parent.chain];
  return { length, chain, fence: 0 };
}

/**
 * Yields the lines in the pieces of a session's own log. The pieces begin with the first own record. Returns the end of
 * the valid lines: the tip and the offset.
 *
 * @throws LogError `log/damaged` or `log/unknown-revision` after all valid lines before that place.
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  { path, parent, from }: LineRange,
  bytes: BytePort,
): AsyncGenerator<RawLines, { readonly tip: Tip; readonly offset: number }> {
  let lines: Uint8Array[] = [];
  const reader = createRecordReader(
    {
      path,
      tip: tipBefore(parent),
      offset: 0,
      line: 1,
      from: Infinity,
      to: Infinity,
      verifyChain: true,
      onLine: (sound, line) => sound.position >= from && lines.push(new Uint8Array(line)),
    },
    bytes,
  );
  for await (const piece of pieces) {
    lines = [];
    const { failure } = reader.read(piece);
    if (lines.length > 0) yield { bytes: joinLines(lines), length: reader.tip.length, chain: reader.tip.chain };
    if (failure !== undefined) throw failure;
  }
  const failure = reader.end();
  if (failure !== undefined) throw failure;
  return { tip: reader.tip, offset: reader.offset };
}

const NEWLINE = 0x0a;

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(lines.reduce((sum, { length }) => sum + length + 1, 0)).fill(NEWLINE);
  let at = 0;
  for (const line of lines) {
    whole.set(line, at);
    at += line.length + 1;
  }
  return whole;
}

/** Lines that follow the records of a session. */
export interface CheckedLines {
  readonly bytes: Uint8Array;
  /** Size of each line in bytes, newline included. */
  readonly sizes: readonly number[];
  /** State of the log after the lines. */
  readonly tip: Tip;
}

/**
 * Checks whole lines that another store passed for a session, and returns the state of the log after them.
 *
 * @throws LogError `log/damaged` when a line is not valid or does not follow the tip, `log/unknown-revision` when a newer
 *   build wrote it, `log/first-record` when the first line does not begin the session with this parent.
 */
export function checkLines(
  added: Uint8Array,
  before: Tip,
  { session, parent }: { readonly session: SessionId; readonly parent: Parent | undefined },
  bytes: BytePort,
): CheckedLines {
  const sizes: number[] = [];
  const onLine = (_: unknown, line: Uint8Array): void => void sizes.push(line.length + 1);
  const start = { path: session, tip: before, offset: 0, line: 1, from: Infinity, to: Infinity };
  const reader = createRecordReader({ ...start, verifyChain: true, onLine }, bytes);
  const { failure } = reader.read(added);
  if (failure !== undefined) throw failure;
  if (reader.pending > 0) {
    const line = { number: sizes.length + 1, offset: reader.offset };
    throw damaged(session, line, 'frame', 'the last of the lines has no newline');
  }
  if (before.length === tipBefore(parent).length && sizes[0] !== undefined) {
    const { record } = readBeginning(session, session, added.subarray(0, sizes[0]), bytes);
    checkBeginning([record], session, parent, true);
  }
  return { bytes: added, sizes, tip: reader.tip };
}
