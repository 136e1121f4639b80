// Imports a transcript into a store. The same file gives the same sessions: what is there already is not written again,
// and an import that was cut goes on where it stopped (L8).

import type { Event, Log, LogWriter, Parent, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { openFile } from './file/open-file.ts';
import { ImportError } from './import-error.ts';
import type { EventsStep, ImportOutcome, ImportStep, SessionStep } from './import-step.ts';
import type { ImportOptions } from './import-transcript.ts';
import { importTranscript } from './import-transcript.ts';
import type { OpenBytes } from './recognise.ts';

/** Bytes with the name they go by. */
export interface ImportSource {
  /** Called once per pass; it must give the same bytes each time. */
  readonly open: OpenBytes;
  readonly source: string;
}

/** What an import into a store came to. */
export interface Imported extends ImportOutcome {
  /** Events that were not there before: 0 when the file was imported already. */
  readonly added: number;
}

/**
 * Imports a file, or bytes that can be read twice, and syncs each session at its end. What cannot be read inside the
 * file is in `skipped`; everything sound is imported.
 *
 * @throws ImportError before anything is written when nothing can be imported; `import/diverged` when a session of this
 * name is there that is not of this file.
 * @throws LogError of the store; what was appended before stays, and the same import goes on from there.
 */
export async function importInto(
  store: Log,
  from: string | ImportSource,
  options: Pick<ImportOptions, 'mint'> = {},
): Promise<Imported> {
  const { open, source } = typeof from === 'string' ? { open: await openFile(from), source: from } : from;
  const intake: Intake = { store, source, doors: new Map(), added: 0 };
  try {
    const steps = importTranscript(open, { ...options, source });
    for (let next = await steps.next(); ; next = await steps.next()) {
      if (next.done === true) return { ...next.value, added: intake.added };
      await takeIn(intake, next.value);
    }
  } finally {
    for (const { writer } of intake.doors.values()) await writer.close();
  }
}

interface Door {
  readonly writer: LogWriter;
  /** Events of the import that are there already, counted from its next one. */
  there: number;
}

interface Intake {
  readonly store: Log;
  readonly source: string;
  readonly doors: Map<SessionId, Door>;
  added: number;
}

async function takeIn(intake: Intake, step: ImportStep): Promise<void> {
  switch (step.type) {
    case 'session':
      return beginSession(intake, step);
    case 'events':
      return addEvents(intake, step);
    case 'closed':
      return closeSession(intake, step.session);
  }
}

async function beginSession(intake: Intake, step: SessionStep): Promise<void> {
  const parent = step.parent === undefined ? undefined : await parentOf(intake.store, step.parent);
  const door = await openDoor(intake, step, parent);
  intake.doors.set(step.session, door);
  const data = { ...step.created, ...(parent === undefined ? {} : { parent }) };
  await append(intake, door, [{ kind: 'session.created', at: step.at, data }]);
}

async function openDoor({ store, source }: Intake, step: SessionStep, parent: Parent | undefined): Promise<Door> {
  try {
    return { writer: await store.create(step.session, parent), there: 0 };
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/exists') throw error;
  }
  const start = parent === undefined ? 0 : parent.position + 1;
  await checkSame(store, step, start, source);
  const writer = await store.open(step.session);
  return { writer, there: writer.length - start };
}

async function checkSame(store: Log, step: SessionStep, start: number, source: string): Promise<void> {
  for await (const record of store.read(step.session, start, start + 1)) {
    const imported = record.kind === 'session.created' ? record.data.imported : undefined;
    if (imported?.digest !== undefined && imported.digest === step.created.imported?.digest) return;
  }
  const message = `Session ${step.session} is there, but it is not an import of ${source} as it is now. Import under another name.`;
  throw new ImportError('import/diverged', message, { source });
}

async function parentOf(store: Log, parent: NonNullable<SessionStep['parent']>): Promise<Parent> {
  for await (const { chain } of store.read(parent.session, parent.position, parent.position + 1))
    return { ...parent, chain };
  const message = `Session ${parent.session} ends before position ${parent.position}, where its fork leaves it.`;
  throw new LogError('log/parent-diverged', message, { parent: parent.session });
}

async function addEvents(intake: Intake, { session, events, artifacts }: EventsStep): Promise<void> {
  for (const { digest, bytes } of artifacts) {
    if (!(await intake.store.artifacts.has(digest))) await intake.store.artifacts.put(bytes);
  }
  const door = intake.doors.get(session);
  if (door !== undefined) await append(intake, door, events);
}

async function append(intake: Intake, door: Door, events: readonly Event[]): Promise<void> {
  const fresh = events.slice(door.there);
  door.there = Math.max(door.there - events.length, 0);
  if (fresh.length === 0) return;
  const { writer } = door;
  const appended = await writer.append(fresh, writer.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    const message = `Session ${writer.session} grew from ${expected} to ${actual} records during the import. Import it again.`;
    throw new ImportError('import/diverged', message, { source: intake.source });
  }
  intake.added += fresh.length;
}

async function closeSession(intake: Intake, session: SessionId): Promise<void> {
  const door = intake.doors.get(session);
  if (door === undefined) return;
  intake.doors.delete(session);
  await door.writer.sync();
  await door.writer.close();
}
