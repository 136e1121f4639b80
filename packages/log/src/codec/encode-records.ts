// Writes lines of the log: checks events and encodes them as lines.

import { canonicalJson } from '@tidemark/core';
import { LogError } from '../errors.ts';
import type { Event, Recorded } from '../event.ts';
import type { Chain, Position, Timestamp, TurnId } from '../ids.ts';
import { position as mintPosition, timestamp, turnId } from '../ids.ts';
import type { BytePort } from './line.ts';
import { writeLine } from './line.ts';
import { DECODERS, isKind } from './revision-1/decoders.ts';
import type { Tip } from './tip.ts';

/** Encoded records, ready to be written with one write call. */
export interface EncodedRecords {
  /** Lines of all records, one line per record, newlines included. */
  readonly lines: Uint8Array;
  /** Records in the form that a reader returns. */
  readonly records: readonly Recorded[];
  /** State of the log after the records are written: its length, chain value and fence. */
  readonly tip: Tip;
  /** Number of strings with lone surrogates, which were replaced by U+FFFD. */
  readonly replaced: number;
}

/**
 * Encodes events as the records that follow `tip`. `fence` is the number of the writer that appends them.
 *
 * @throws LogError `log/invalid-event` if an event does not have the shape of its kind. The error names the kind and
 *   the fields but never a value, and nothing is encoded.
 */
export function encodeRecords(events: readonly Event[], tip: Tip, fence: number, bytes: BytePort): EncodedRecords {
  const records: Recorded[] = [];
  const lines: Uint8Array[] = [];
  let replaced = 0;
  let { length, chain } = tip;
  for (const event of events) {
    const one = encodeRecord(event, mintPosition(length), chain, fence, bytes);
    lines.push(one.line);
    replaced += one.replaced;
    records.push(one.record);
    chain = one.record.chain;
    length += 1;
  }
  const end = events.length === 0 ? tip : { length, chain, fence };
  return { lines: joinBytes(lines), records, tip: end, replaced };
}

function joinBytes(lines: readonly Uint8Array[]): Uint8Array {
  const [first] = lines;
  if (first !== undefined && lines.length === 1) return first;
  const all = new Uint8Array(lines.reduce((sum, line) => sum + line.length, 0));
  let offset = 0;
  for (const line of lines) {
    all.set(line, offset);
    offset += line.length;
  }
  return all;
}

interface EncodedRecord {
  readonly line: Uint8Array;
  readonly record: Recorded;
  readonly replaced: number;
}

function encodeRecord(event: Event, position: Position, before: Chain, fence: number, bytes: BytePort): EncodedRecord {
  const { at, turn } = checkEnvelope(event);
  const data = writeData(event);
  const { line, chain } = writeLine({ position, at, fence, kind: event.kind, turn }, data.text, before, bytes);
  const envelope = { v: 1, position, at, fence, turn, chain } as const;
  const payload: unknown = data.replaced === 0 ? event.data : JSON.parse(data.text);
  const record = DECODERS[event.kind](envelope, payload);
  if ('unfit' in record) throw invalid(event.kind, record.unfit);
  return { line, record, replaced: data.replaced };
}

function checkEnvelope(event: Event): { readonly at: Timestamp; readonly turn: TurnId | undefined } {
  if (!isKind(event.kind))
    throw invalid(String(event.kind), [{ path: 'kind', expected: 'expected a kind that this build knows' }]);
  try {
    return { at: timestamp(event.at), turn: event.turn === undefined ? undefined : turnId(event.turn) };
  } catch (cause) {
    throw invalid(event.kind, [{ path: 'at', expected: 'expected a timestamp, and a turn that is not empty' }], cause);
  }
}

function writeData(event: Event): { readonly text: string; readonly replaced: number } {
  try {
    return canonicalJson(event.data);
  } catch (cause) {
    throw invalid(event.kind, [{ path: 'data', expected: 'expected a JSON value' }], cause);
  }
}

type Issues = readonly { readonly path: string; readonly expected: string }[];

function invalid(kind: string, issues: Issues, cause?: unknown): LogError {
  const fields = issues.map(({ path, expected }) => `${path}: ${expected}`).join('; ');
  const message = `A ${kind} event does not have the shape of its kind (${fields}). Nothing was written; fix the code that creates the event.`;
  return new LogError('log/invalid-event', message, { kind, issues }, cause);
}
