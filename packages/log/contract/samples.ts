// Sample events for tests, and short helpers to append and read them.

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { LogErrorCode } from '../src/errors.ts';
import { LogError } from '../src/errors.ts';
import type { Event, EventOf, Recorded } from '../src/event.ts';
import type { Parent } from '../src/events/session.ts';
import type { Digest, SessionId, Timestamp } from '../src/ids.ts';
import { digest, sessionId, timestamp } from '../src/ids.ts';
import type { Log, LogWriter } from '../src/port.ts';

export const NOON: Timestamp = timestamp('2026-11-20T12:00:00.000Z');

export const session = (name: string): SessionId => sessionId(name);

export function created(
  id: SessionId,
  more: { parent?: Parent; workspace?: string; at?: Timestamp } = {},
): EventOf<'session.created'> {
  const { parent, workspace = '/work', at = NOON } = more;
  const root = parent?.session ?? id;
  return { kind: 'session.created', at, data: { id, root, workspace, ...(parent === undefined ? {} : { parent }) } };
}

export function prompt(text: string, at: Timestamp = NOON): EventOf<'prompt.given'> {
  return { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text }], presenter: 'test' } };
}

/** Returns `count` prompts with the texts `0`, `1`, … (or starting at `from`). */
export function prompts(count: number, from = 0): Event[] {
  return Array.from({ length: count }, (_, index) => prompt(`${from + index}`));
}

/** Returns the text of a prompt, or the kind of any other record. */
export function textOrKind(record: Recorded): string {
  const part = record.kind === 'prompt.given' ? record.data.parts[0] : undefined;
  return part?.type === 'text' ? part.text : record.kind;
}

/** Creates a session with a `session.created` event and `count` prompts, and returns its writer. */
export async function sessionWith(log: Log, id: SessionId, count: number): Promise<LogWriter> {
  const writer = await log.create(id);
  await appended(writer, [created(id), ...prompts(count)]);
  return writer;
}

/** Appends events at the end of the log. Throws on a conflict, so the test fails. */
export async function appended(writer: LogWriter, events: readonly Event[]): Promise<readonly Recorded[]> {
  const result = await writer.append(events, writer.length);
  if (!result.ok) throw new Error(`conflict at ${result.conflict.actual}`);
  return result.records;
}

export async function gather<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Returns the text of each prompt in a range of a log. For any other record, it returns the kind. */
export async function texts(log: Log, id: SessionId, from?: number, to?: number): Promise<string[]> {
  return (await gather(log.read(id, from, to))).map(textOrKind);
}

/**
 * Iterates until a `LogError` is thrown. Returns the error and the values before it. Throws an `Error` if the iteration
 * ends without a `LogError`.
 */
export async function untilFailure<T>(
  values: AsyncIterable<T>,
): Promise<{ readonly values: T[]; readonly error: LogError }> {
  const all: T[] = [];
  try {
    for await (const value of values) all.push(value);
  } catch (error) {
    if (error instanceof LogError) return { values: all, error };
    throw error;
  }
  throw new Error(`no error was thrown; the iteration returned ${all.length} values`);
}

/** Expects the promise to reject with a `LogError` of this code, and returns the error. */
export async function fails(work: Promise<unknown>, code: LogErrorCode): Promise<LogError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LogError);
  if (!(error instanceof LogError)) throw new Error('unreachable');
  expect(error.code).toBe(code);
  return error;
}

export function digestOf(bytes: Uint8Array | string): Digest {
  return digest(createHash('sha256').update(bytes).digest('hex'));
}

/**
 * Returns the session, position and chain value of the record at a position, in the form that a fork stores about its
 * parent. Throws if the log has no such record.
 */
export async function parentAt(log: Log, id: SessionId, position: number): Promise<Parent> {
  const [record] = await gather(log.read(id, position, position + 1));
  if (record === undefined) throw new Error(`session ${id} has no position ${position}`);
  return { session: id, position: record.position, chain: record.chain };
}

/** Returns a copy of the bytes with the lowest bit of one byte flipped. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = new Uint8Array(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
