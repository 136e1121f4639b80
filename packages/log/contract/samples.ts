// Small facts for tests, and the short ways to write and read them.

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

/** A session id from its name. */
export const session = (name: string): SessionId => sessionId(name);

/** `session.created`. */
export function created(
  id: SessionId,
  more: { parent?: Parent; workspace?: string; at?: Timestamp } = {},
): EventOf<'session.created'> {
  const { parent, workspace = '/work', at = NOON } = more;
  const root = parent?.session ?? id;
  return { kind: 'session.created', at, data: { id, root, workspace, ...(parent === undefined ? {} : { parent }) } };
}

/** `prompt.given` with one text. */
export function prompt(text: string, at: Timestamp = NOON): EventOf<'prompt.given'> {
  return { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text }], presenter: 'test' } };
}

/** That many prompts: `0`, `1`, ... */
export function prompts(count: number, from = 0): Event[] {
  return Array.from({ length: count }, (_, index) => prompt(`${from + index}`));
}

/** The text of a prompt; the kind of anything else. */
export function said(record: Recorded): string {
  const part = record.kind === 'prompt.given' ? record.data.parts[0] : undefined;
  return part?.type === 'text' ? part.text : record.kind;
}

/** Creates a session that holds its beginning and that many prompts. */
export async function sessionWith(log: Log, id: SessionId, count: number): Promise<LogWriter> {
  const writer = await log.create(id);
  await appended(writer, [created(id), ...prompts(count)]);
  return writer;
}

/** Appends at the end; a conflict fails the test. */
export async function appended(writer: LogWriter, events: readonly Event[]): Promise<readonly Recorded[]> {
  const result = await writer.append(events, writer.length);
  if (!result.ok) throw new Error(`conflict at ${result.conflict.actual}`);
  return result.records;
}

/** All that an iteration yields. */
export async function gather<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** The texts of a range. */
export async function texts(log: Log, id: SessionId, from?: number, to?: number): Promise<string[]> {
  return (await gather(log.read(id, from, to))).map(said);
}

/** What was yielded before an iteration failed, and how it failed. */
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
  throw new Error(`nothing failed; ${all.length} values came`);
}

/** Claims that something fails with this code. */
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

/** SHA-256 of bytes. */
export function digestOf(bytes: Uint8Array | string): Digest {
  return digest(createHash('sha256').update(bytes).digest('hex'));
}

/** The record at a position as the parent of a fork. */
export async function parentAt(log: Log, id: SessionId, position: number): Promise<Parent> {
  const [record] = await gather(log.read(id, position, position + 1));
  if (record === undefined) throw new Error(`session ${id} has no position ${position}`);
  return { session: id, position: record.position, chain: record.chain };
}

/** Flips one bit of one byte. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = new Uint8Array(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
