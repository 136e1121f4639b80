// Finds the data that a store already has about a transcript: sessions from an import of an earlier state of the file,
// and calls that other sessions bill.

import type { BilledIn, Log, RecordedOf, SessionCreated, SessionId, SessionSummary } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { BilledCalls, CallNames } from './build/billed-calls.ts';
import { callIdentity, withMostOutput } from './build/billed-calls.ts';
import { objectOf } from './file/fields.ts';
import { STAGE } from './sessions.ts';
import type { StageMark } from './stages.ts';
import { beginsWith } from './stages.ts';
import type { Transcript } from './import-transcript.ts';

/** Import of an earlier state of the same file. */
export interface EarlierImport {
  /** Main session that the earlier import made. */
  readonly session: SessionId;
  /** States in which the file was imported, shortest first. The file starts with the bytes of each state. */
  readonly stages: readonly StageMark[];
}

/** Earlier imports with the same format and the same start time as a transcript. */
export interface Relatives {
  readonly earlier: EarlierImport | undefined;
  /**
   * Session that was imported from another content of this transcript: the file of that import is not the beginning of
   * this file, because a record was changed.
   */
  readonly diverged: SessionId | undefined;
}

/**
 * Finds earlier imports of a transcript. A session whose file is the beginning of this file becomes `earlier`. If there
 * are several, the one with the longest file is chosen. Another session with the same format and start time becomes
 * `diverged`.
 */
export async function findRelatives(store: Log, transcript: Transcript): Promise<Relatives> {
  let earlier: EarlierImport | undefined;
  let diverged: SessionId | undefined;
  for (const { session, imported } of await importedSessions(store, transcript)) {
    const stages = imported === undefined ? [] : await stagesOf(store, session, imported);
    const last = stages.at(-1);
    if (last === undefined) continue;
    if (last.bytes <= transcript.whole.bytes && (await beginsWith(transcript.open, last))) {
      if (last.bytes >= (earlier?.stages.at(-1)?.bytes ?? 0)) earlier = { session, stages };
    } else diverged = session;
  }
  return { earlier, diverged };
}

interface ImportedSession {
  readonly session: SessionId;
  readonly imported: SessionCreated['imported'];
}

async function importedSessions(store: Log, transcript: Transcript): Promise<readonly ImportedSession[]> {
  const { outline } = transcript.whole;
  const start = outline.branches[outline.main]?.at ?? outline.at;
  const found: ImportedSession[] = [];
  for (const one of (await store.sessions()).sessions) {
    if (one.parent !== undefined || one.root !== one.session) continue;
    if (start !== undefined && one.createdAt !== start) continue;
    const created = await createdIn(store, one);
    if (created?.imported?.format === transcript.format.name) found.push({ session: one.session, ...created });
  }
  return found;
}

async function createdIn(
  store: Log,
  { session }: SessionSummary,
): Promise<{ readonly imported: SessionCreated['imported'] } | undefined> {
  for await (const record of store.read(session, 0, 1))
    if (record.kind === 'session.created') return { imported: record.data.imported };
  return undefined;
}

/**
 * Returns the states of the file from which a session was imported, shortest first. The first record of the session
 * names the first state. Each later state has a record at the place where its events begin.
 */
async function stagesOf(
  store: Log,
  session: SessionId,
  { digest: first, bytes }: NonNullable<SessionCreated['imported']>,
): Promise<readonly StageMark[]> {
  if (first === undefined || bytes === undefined) return [];
  const stages: StageMark[] = [{ bytes, digest: first }];
  for await (const record of store.read(session)) {
    if (record.kind !== 'foreign.recorded' || record.data.format !== STAGE) continue;
    const { bytes: length, digest: file } = objectOf(record.data.record);
    if (typeof length === 'number' && typeof file === 'string') stages.push({ bytes: length, digest: digest(file) });
  }
  return stages;
}

/** Maximum number of records that are read to find the first answer of a session with counted tokens. */
const BEGINNING = 200;

/**
 * Returns the calls that other imports bill. Searches only imports whose first call with counted tokens has the
 * identity `first`, because a copied session contains the rows of the original from the first row on. Does not search
 * `own`, the sessions that the transcript itself makes.
 */
export async function findBilled(
  store: Log,
  first: string | undefined,
  format: string,
  own: ReadonlySet<SessionId>,
): Promise<BilledCalls> {
  const billed: BilledCalls = new Map();
  if (first === undefined) return billed;
  const { sessions } = await store.sessions();
  const roots = new Set<SessionId>();
  for (const one of sessions) {
    // A subagent in the file of its main session can contain the first call. A subagent with its own file is skipped.
    const isAlone = one.startedBy !== undefined && one.root === one.session;
    if (own.has(one.session) || one.parent !== undefined || isAlone) continue;
    if ((await firstCall(store, one.session, format)) === first) roots.add(one.root);
  }
  for (const one of sessions) {
    if (roots.has(one.root) && !own.has(one.session)) await addCalls(billed, store, one.session, format);
  }
  return billed;
}

async function firstCall(store: Log, session: SessionId, format: string): Promise<string | undefined> {
  for await (const record of store.read(session, 0, BEGINNING)) {
    if (record.kind === 'session.created' && !isOf(record.data, format)) return undefined;
    const identity = isAnswer(record) ? callIdentity(namesOf(record, format)) : undefined;
    if (identity !== undefined) return identity;
  }
  return undefined;
}

function isOf({ imported }: SessionCreated, format: string): boolean {
  return imported !== undefined && familyOf(imported.format) === familyOf(format);
}

/**
 * Returns the format name without its version. A copy of a transcript can have a newer format version than the
 * original.
 */
function familyOf(format: string): string {
  return format.replace(/-\d+$/, '');
}

type EndedAnswer = RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'>;

function isAnswer(record: { readonly kind: string }): record is EndedAnswer {
  return record.kind === 'answer.received' || record.kind === 'answer.interrupted';
}

/** Returns the values that identify the provider call of an answer record. */
export function namesOf(record: Pick<EndedAnswer, 'kind' | 'at' | 'data'>, format: string): CallNames {
  const { provider, model, usage, parts } = record.data;
  const response = 'response' in record.data ? record.data.response : undefined;
  return { format, response, at: record.at, provider, model, usage, parts };
}

async function addCalls(billed: BilledCalls, store: Log, session: SessionId, format: string): Promise<void> {
  let owner: SessionId = session;
  for await (const record of store.read(session)) {
    if (record.kind === 'session.created') owner = record.data.id;
    if (owner !== session || !isAnswer(record)) continue;
    const identity = callIdentity(namesOf(record, format));
    const { usage, billed: before } = record.data;
    if (identity === undefined || usage === undefined) continue;
    const own: BilledIn = { session, position: record.position, usage };
    billed.set(identity, before === undefined ? own : withMostOutput(before, usage));
  }
}
