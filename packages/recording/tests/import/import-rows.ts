// Rows in, recorded events out: a transcript is written as an array and imported into a store in memory.

import { emptyState, evolve } from '@tidemark/context';
import type { State } from '@tidemark/context';
import type { EventData, Kind, Log, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { importInto } from '../../src/import/import-into.ts';
import type { Imported } from '../../src/import/import-into.ts';

/** One row of a transcript: an object, or the text of a line as it stands. */
export type Row = object | string;

/** What an import left in its store. */
export interface ImportedRows {
  readonly store: Log;
  readonly imported: Imported;
  /** Events of the main session. */
  readonly events: readonly Recorded[];
  /** Events of any of its sessions, counted as they began; ancestors included. */
  readonly of: (index: number) => readonly Recorded[];
}

/** The file that these rows are. */
export function fileOf(rows: readonly Row[]): Uint8Array {
  const lines = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Bytes as a source, in chunks that cut lines anywhere. */
export function sourceOf(bytes: Uint8Array, chunk = 97): { open(): AsyncIterable<Uint8Array>; source: string } {
  return {
    source: 'test.jsonl',
    async *open() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
  };
}

/** Imports rows, and reads back every session. */
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

/** The kinds of events, without what a format has beside the conversation. */
export function kinds(events: readonly Recorded[]): readonly string[] {
  return events.map((event) => event.kind).filter((kind) => kind !== 'foreign.recorded');
}

/** All events of one kind. */
export function pick<K extends Kind>(events: readonly Recorded[], kind: K): readonly Of<K>[] {
  return events.filter((event): event is Of<K> => event.kind === kind);
}

type Of<K extends Kind> = Recorded & RecordedOf<K>;

/** Everything that comes. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The data of the one event of a kind. @throws when there is none or more than one. */
export function only<K extends Kind>(events: readonly Recorded[], kind: K): EventData[K] {
  const [first, ...more] = pick(events, kind);
  if (first === undefined || more.length > 0)
    throw new Error(`expected one ${kind}, found ${first === undefined ? 0 : more.length + 1}`);
  return first.data;
}

/** The fold over these events. */
export function fold(events: readonly Recorded[]): State {
  return events.reduce(evolve, emptyState());
}

/** What a model would be sent at the end, in short: role and text, call or result of each part. */
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
