// Test helpers that import a transcript, given as an array of rows, into a store in memory and read back the recorded
// events.

import { emptyState, evolve } from '@tidemark/context';
import type { State } from '@tidemark/context';
import type { EventData, Kind, Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { importInto } from '../../src/import/import-into.ts';
import type { Imported } from '../../src/import/import-into.ts';

/** Row of a transcript: an object, or the raw text of a line. */
export type Row = object | string;

/** Result of an import, with its store and its events. */
export interface ImportedRows {
  readonly store: Log;
  readonly imported: Imported;
  /** Events of the main session. */
  readonly events: readonly Recorded[];
  /**
   * Returns the events of the session with this index. The index is the place in the order in which the sessions
   * started. Events that a fork shares with its ancestors are included.
   */
  readonly of: (index: number) => readonly Recorded[];
}

export function fileOf(rows: readonly Row[]): Uint8Array {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Returns bytes as the source of an import. The source yields chunks that can end anywhere in a line. */
export function sourceOf(bytes: Uint8Array, chunk = 97): { open(): AsyncIterable<Uint8Array>; source: string } {
  return {
    source: 'test.jsonl',
    async *open() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
  };
}

/** Imports rows and reads back every session of the import. */
export async function importRows(rows: readonly Row[], store: Log = createMemoryStore()): Promise<ImportedRows> {
  const imported = await importInto(store, sourceOf(fileOf(rows)));
  const all = new Map<SessionId, readonly Recorded[]>();
  for (const session of imported.sessions) all.set(session, await collect(store.read(session)));
  const of = (index: number): readonly Recorded[] => {
    const session = imported.sessions[index];
    return (session === undefined ? undefined : all.get(session)) ?? [];
  };
  return { store, imported, of, events: all.get(imported.session) ?? [] };
}

/** Returns the kinds of the events, without foreign records. */
export function kinds(events: readonly Recorded[]): readonly string[] {
  return events.map((event) => event.kind).filter((kind) => kind !== 'foreign.recorded');
}

export function pick<K extends Kind>(events: readonly Recorded[], kind: K): readonly Of<K>[] {
  return events.filter((event): event is Of<K> => event.kind === kind);
}

type Of<K extends Kind> = Recorded & RecordedOf<K>;

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * Returns the data of the only event of a kind.
 *
 * @throws if there is no such event, or more than one.
 */
export function only<K extends Kind>(events: readonly Recorded[], kind: K): EventData[K] {
  const [first, ...more] = pick(events, kind);
  if (first === undefined || more.length > 0)
    throw new Error(`expected one ${kind}, found ${first === undefined ? 0 : more.length + 1}`);
  return first.data;
}

export function fold(events: readonly Recorded[]): State {
  return events.reduce(evolve, emptyState());
}

/**
 * Returns the final packed history in short form, one text per part. Each text contains the role and the text, the call
 * or the result of the part.
 */
export function packed(events: readonly Recorded[]): readonly string[] {
  const { history } = fold(events);
  return history.packed.buffer.slice(0, history.packed.length).flatMap((span) =>
    span.parts.map((part) => {
      if (part.type === 'text') return `${span.role}: ${part.text}`;
      if (part.type === 'call') return `${span.role}: call ${part.call}`;
      if (part.type === 'result') return `${span.role}: result ${part.call}`;
      return `${span.role}: ${part.type}`;
    }),
  );
}
