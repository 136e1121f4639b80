// Imports a transcript into a store. The same file gives the same sessions: what is there already is not written again, a
// transcript that grew goes on in the sessions of its earlier import, and an import that was cut goes on where it stopped
// (L8).

import { defined } from '@tidemark/core';
import type { Event, Log, LogWriter, Parent, Recorded, SessionId } from '@tidemark/log';
import { canonicalText, LogError } from '@tidemark/log';
import type { BilledCalls } from './build/billed-calls.ts';
import { callIdentity } from './build/billed-calls.ts';
import { findBilled, findRelatives, namesOf } from './earlier-import.ts';
import { openFile } from './open-file.ts';
import { ImportError } from './format/import-error.ts';
import type { EventsStep, ImportOutcome, ImportStep, SessionStep } from './import-step.ts';
import type { ImportOptions, Transcript } from './import-transcript.ts';
import { importStages, readTranscript } from './import-transcript.ts';
import type { OpenBytes } from './recognise.ts';
import { nameBranches } from './session-names.ts';
import type { Stage } from './stages.ts';
import { surveyStage } from './stages.ts';

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
  /** The sessions were made by an import of an earlier state of the file, and this one went on with them. */
  readonly updated: boolean;
  /** An earlier import of the transcript whose records are not the same: this one made sessions of its own. */
  readonly diverged?: SessionId;
}

/**
 * Imports a file, or bytes that can be read more than once, and syncs each session at its end. What cannot be read inside
 * the file is in `skipped`; everything sound is imported. Calls that another import bills are marked, so that they are
 * billed once.
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
  const transcript = await readTranscript(open, { ...options, source });
  const { stages, diverged } = await chooseStages(store, transcript);
  const billed = await billedElsewhere(store, transcript, stages);
  const intake: Intake = { store, source, doors: new Map(), added: 0 };
  try {
    const steps = importStages(transcript, stages, billed);
    for (let next = await steps.next(); ; next = await steps.next()) {
      if (next.done !== true) await takeIn(intake, next.value);
      else {
        const { added } = intake;
        return { ...next.value, added, updated: stages.length > 1, ...defined({ diverged }) };
      }
    }
  } finally {
    for (const { writer } of intake.doors.values()) await writer.close();
  }
}

type Stages = readonly [Stage, ...Stage[]];

interface Chosen {
  readonly stages: Stages;
  readonly diverged?: SessionId | undefined;
}

/** The states that the store was given before, then the file as it is; the file alone where the store holds other records. */
async function chooseStages(store: Log, transcript: Transcript): Promise<Chosen> {
  const { open, format, whole } = transcript;
  const { earlier, diverged } = await findRelatives(store, transcript);
  if (earlier === undefined) return { stages: [whole], diverged };
  const stages: Stage[] = [];
  for (const { bytes } of earlier.stages) {
    const stage = bytes === whole.bytes ? whole : await surveyStage(open, format, bytes);
    if (stage.outline.records > (stages.at(-1)?.outline.records ?? 0)) stages.push(stage);
  }
  if (whole.outline.records > (stages.at(-1)?.outline.records ?? 0)) stages.push(whole);
  const [first, ...others] = stages;
  if (first === undefined || first.outline.main !== whole.outline.main) return { stages: [whole], diverged };
  const chosen: Stages = [first, ...others];
  return (await isSame(store, transcript, chosen))
    ? { stages: chosen }
    : { stages: [whole], diverged: earlier.session };
}

/** Whether the store holds what these stages give, and nothing behind it that somebody else appended. */
async function isSame(store: Log, transcript: Transcript, stages: Stages): Promise<boolean> {
  const held = new Map<SessionId, AsyncGenerator<Recorded>>();
  try {
    for await (const step of importStages(transcript, stages, new Map())) {
      if (step.type === 'session') held.set(step.session, recordsOf(store, step));
      const records = step.type === 'events' ? held.get(step.session) : undefined;
      if (step.type !== 'events' || records === undefined) continue;
      for (const event of step.events) {
        const { done, value } = await records.next();
        if (done !== true && factOf(value) !== factOf(event)) return false;
      }
    }
    for (const records of held.values()) if ((await records.next()).done !== true) return false;
    return true;
  } finally {
    for (const records of held.values()) await records.return(undefined);
  }
}

/** The records of a session behind its first own one; none where it is not there yet. */
async function* recordsOf(store: Log, { session, parent }: SessionStep): AsyncGenerator<Recorded> {
  try {
    yield* store.read(session, parent === undefined ? 1 : parent.position + 2);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/missing') throw error;
  }
}

/** What an event says, without what depends on the store that it is imported into. */
function factOf(event: Event | Recorded): string {
  const { kind, at, turn = null, data } = event;
  if (kind !== 'answer.received' && kind !== 'answer.interrupted') return canonicalText({ kind, at, turn, data });
  const { billed: _billed, ...rest } = data;
  return canonicalText({ kind, at, turn, data: rest });
}

/** The calls of the transcript that other sessions of the store bill, by its first counted answer. */
async function billedElsewhere(store: Log, transcript: Transcript, stages: Stages): Promise<BilledCalls> {
  const { format, whole, mint } = transcript;
  const own = new Set(nameBranches({ format, outline: whole.outline, digest: stages[0].digest, mint }));
  return findBilled(store, await firstCall(transcript, stages), format.name, own);
}

async function firstCall(transcript: Transcript, stages: Stages): Promise<string | undefined> {
  for await (const step of importStages(transcript, stages, new Map())) {
    for (const event of step.type === 'events' ? step.events : []) {
      if (event.kind !== 'answer.received' && event.kind !== 'answer.interrupted') continue;
      const identity = callIdentity(namesOf(event, transcript.format.name));
      if (identity !== undefined) return identity;
    }
  }
  return undefined;
}

interface ImportTarget {
  readonly writer: LogWriter;
  /** Events of the import that are there already, counted from its next one. */
  there: number;
}

interface Intake {
  readonly store: Log;
  readonly source: string;
  readonly doors: Map<SessionId, ImportTarget>;
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
  const data = { ...step.created, ...defined({ parent }) };
  await append(intake, door, [{ kind: 'session.created', at: step.at, data }]);
}

async function openDoor(
  { store, source }: Intake,
  step: SessionStep,
  parent: Parent | undefined,
): Promise<ImportTarget> {
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

async function append(intake: Intake, door: ImportTarget, events: readonly Event[]): Promise<void> {
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
