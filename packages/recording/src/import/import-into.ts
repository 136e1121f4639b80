// Imports a transcript into a store. The same file always makes the same sessions (L8). Events that the store already
// contains are not written again. The import of a longer state of a file continues the sessions of the earlier import.
// A repeated import continues an import that was cut off.

import { defined } from '@tidemark/core';
import type { Event, Log, LogWriter, Parent, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { canonicalText, LogError } from '@tidemark/log';
import type { BilledCalls } from './build/billed-calls.ts';
import { callIdentity } from './build/billed-calls.ts';
import type { KeptBytes } from './build/draft.ts';
import { findBilled, findRelatives, namesOf } from './earlier-import.ts';
import { ImportError } from './format/import-error.ts';
import type { EventsStep, ImportOutcome, ImportStep, SessionStep } from './import-step.ts';
import type { ImportOptions, ImportSource, Transcript, TranscriptFile } from './import-transcript.ts';
import { importStages, openTranscript, readTranscript } from './import-transcript.ts';
import { nameBranches } from './session-names.ts';
import type { Stage } from './stages.ts';
import { findStarter } from './subagent-file.ts';
import { findThreadStarter } from './subagent-thread.ts';
import { surveyStage } from './stages.ts';

/** Result of an import into a store. */
export interface Imported extends ImportOutcome {
  /** Number of events that this import added. It is 0 if the store already contained the whole file. */
  readonly added: number;
  /** True if an import of an earlier state of the file made the sessions, and this import continued these sessions. */
  readonly updated: boolean;
  /**
   * Session of an earlier import of this transcript, if its records differ from the file. This import then made new
   * sessions.
   */
  readonly diverged?: SessionId;
  /**
   * Set for the transcript of a subagent: its main session, as a file or as a thread, and the call that started the subagent.
   * `startedBy` is absent if the store does not contain that call yet.
   */
  readonly subagent?: { readonly main: string; readonly startedBy?: StartedBy };
}

/**
 * Imports a file, or bytes that can be read more than once. Each session is synced to disk when it ends. All valid
 * records are imported. Parts of the file that cannot be read are listed in `skipped`. A call that another import
 * already bills is marked, so that it is billed once.
 *
 * @throws ImportError before anything is written if nothing can be imported. `import/diverged` if a session with this
 *   name exists and is not from this file, or grew during the import. `import/changed` if the file becomes shorter.
 * @throws LogError of the store. Events that were already appended stay, and the same import can continue from there.
 */
export async function importInto(
  store: Log,
  from: string | ImportSource,
  options: Pick<ImportOptions, 'mint'> = {},
): Promise<Imported> {
  const { open, source, subagent, thread }: TranscriptFile =
    typeof from === 'string' ? await openTranscript(from) : from;
  const transcript = await readTranscript(open, { ...options, ...defined({ subagent, thread }), source });
  const { stages, diverged } = await chooseStages(store, transcript);
  const billed = await billedElsewhere(store, transcript, stages);
  const startedBy = await starterOf(store, transcript, stages);
  const intake: Intake = { store, source, startedBy, targets: new Map(), added: 0 };
  try {
    const steps = importStages(transcript, stages, billed);
    for (let next = await steps.next(); ; next = await steps.next()) {
      if (next.done !== true) await takeIn(intake, next.value);
      else {
        const { added } = intake;
        const started = await linkOf(store, next.value.session, transcript);
        return { ...next.value, added, updated: stages.length > 1, ...defined({ diverged, subagent: started }) };
      }
    }
  } finally {
    for (const { writer } of intake.targets.values()) await writer.close();
  }
}

type Stages = readonly [Stage, ...Stage[]];

interface Chosen {
  readonly stages: Stages;
  readonly diverged?: SessionId | undefined;
}

/**
 * Returns the states of the file that were imported before, then the current state. If the stored records differ from
 * the file, returns only the current state.
 */
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

/** True if the store's sessions contain only events of these stages. Sessions that lack later events also pass. */
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

/**
 * Yields the records of a session after its `session.created` record. For a fork, the records of the parent are
 * omitted. Yields nothing if the session does not exist yet.
 */
async function* recordsOf(store: Log, { session, parent }: SessionStep): AsyncGenerator<Recorded> {
  try {
    yield* store.read(session, parent === undefined ? 1 : parent.position + 2);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'log/missing') throw error;
  }
}

/**
 * Returns an event as text for a comparison. Omits `billed`, because its value depends on other sessions of the store.
 */
function factOf(event: Event | Recorded): string {
  const { kind, at, turn = null, data } = event;
  if (kind !== 'answer.received' && kind !== 'answer.interrupted') return canonicalText({ kind, at, turn, data });
  const { billed: _billed, ...rest } = data;
  return canonicalText({ kind, at, turn, data: rest });
}

/**
 * Returns the calls of the transcript that other sessions of the store bill. Another session is searched only if its
 * first answer with counted tokens is the same call as the first one in the transcript.
 */
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

async function starterOf(
  store: Log,
  { format, whole, mint, subagent, thread }: Transcript,
  stages: Stages,
): Promise<StartedBy | undefined> {
  const { outline } = whole;
  const spawned = outline.spawned ?? thread;
  if (spawned !== undefined) return findThreadStarter(store, spawned, format.name);
  if (subagent === undefined) return undefined;
  const own = nameBranches({ format, outline, digest: stages[0].digest, mint })[outline.main];
  return own === undefined ? undefined : findStarter(store, subagent, own, format.name);
}

/** Returns the link of a subagent as it is stored. An earlier import may have stored the subagent without a link. */
async function linkOf(
  store: Log,
  session: SessionId,
  { format, subagent, thread, whole }: Transcript,
): Promise<Imported['subagent']> {
  const spawned = whole.outline.spawned ?? thread;
  const parent = format.name === 'codex' ? 'the rollout of thread' : 'session';
  const main = spawned === undefined ? subagent?.main : `${parent} ${spawned.parent}`;
  if (main === undefined) return undefined;
  for await (const { kind, data } of store.read(session, 0, 1))
    if (kind === 'session.created') return { main, ...defined({ startedBy: data.startedBy }) };
  return { main };
}

interface ImportTarget {
  readonly writer: LogWriter;
  /** Number of coming events of the import that the store already contains. They are not appended again. */
  there: number;
}

interface Intake {
  readonly store: Log;
  readonly source: string;
  /** Call that started the subagent whose transcript is imported. */
  readonly startedBy: StartedBy | undefined;
  readonly targets: Map<SessionId, ImportTarget>;
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
  const target = await openTarget(intake, step, parent);
  intake.targets.set(step.session, target);
  // Only the main session of the file is the subagent. Its forks continue the subagent.
  const startedBy = step.created.root === step.session ? intake.startedBy : undefined;
  const data = { ...step.created, ...defined({ parent, startedBy }) };
  await append(intake, target, [{ kind: 'session.created', at: step.at, data }]);
}

async function openTarget(
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
  const message = `Session ${step.session} already exists, but it is not an import of the present content of ${source}. Import the file under another name.`;
  throw new ImportError('import/diverged', message, { source });
}

async function parentOf(store: Log, parent: NonNullable<SessionStep['parent']>): Promise<Parent> {
  for await (const { chain } of store.read(parent.session, parent.position, parent.position + 1))
    return { ...parent, chain };
  const message = `Session ${parent.session} ends before position ${parent.position}, where its fork begins.`;
  throw new LogError('log/parent-diverged', message, { parent: parent.session });
}

async function addEvents(intake: Intake, { session, events, artifacts }: EventsStep): Promise<void> {
  for (let from = 0; from < artifacts.length; from += PUTS_AT_ONCE)
    await Promise.all(artifacts.slice(from, from + PUTS_AT_ONCE).map((one) => putOnce(intake, one)));
  const target = intake.targets.get(session);
  if (target !== undefined) await append(intake, target, events);
}

/** Maximum number of artifacts that are stored at the same time, so that the waits for the disk overlap. */
const PUTS_AT_ONCE = 32;

async function putOnce({ store }: Intake, { digest, bytes }: KeptBytes): Promise<void> {
  if (!(await store.artifacts.has(digest))) await store.artifacts.put(bytes);
}

async function append(intake: Intake, target: ImportTarget, events: readonly Event[]): Promise<void> {
  const fresh = events.slice(target.there);
  target.there = Math.max(target.there - events.length, 0);
  if (fresh.length === 0) return;
  const { writer } = target;
  const appended = await writer.append(fresh, writer.length);
  if (!appended.ok) {
    const { expected, actual } = appended.conflict;
    const message = `Session ${writer.session} grew from ${expected} to ${actual} records during the import. Import it again.`;
    throw new ImportError('import/diverged', message, { source: intake.source });
  }
  intake.added += fresh.length;
}

async function closeSession(intake: Intake, session: SessionId): Promise<void> {
  const target = intake.targets.get(session);
  if (target === undefined) return;
  intake.targets.delete(session);
  await target.writer.sync();
  await target.writer.close();
}
