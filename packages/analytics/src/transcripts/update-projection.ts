// Brings the rows up to date with the transcripts on the machine. Only transcripts that are new or have changed are
// read, one after the other.

import type { RowOf } from '@tidemark/context';
import { openTranscript } from '@tidemark/recording';
import { TidemarkError } from '@tidemark/core';
import { callRow } from './call-row.ts';
import type { FoundTranscript } from './find-transcripts.ts';
import type { Projection } from './projection.ts';
import { billedLayer } from './billed-entries.ts';
import { readCalls } from './read-calls.ts';

/** Options of an update. */
export interface UpdateOptions {
  readonly rowOf: RowOf;
  /** Transcripts whose last change is before this time are not read, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Is called before each transcript and at the end. */
  readonly onProgress?: (progress: UpdateProgress) => void;
  /** Ends the update. The rows of the transcripts that were read stay. */
  readonly signal?: AbortSignal;
}

/** Progress of an update. */
export interface UpdateProgress {
  readonly files: number;
  readonly filesRead: number;
  readonly bytes: number;
  readonly bytesRead: number;
}

/** Transcript that could not be read, with the reason. */
export interface UnreadTranscript {
  readonly path: string;
  readonly reason: string;
}

/** Result of an update. */
export interface Updated {
  readonly filesRead: number;
  readonly bytesRead: number;
  readonly problems: readonly UnreadTranscript[];
}

/**
 * Reads the transcripts that are new or have changed, and those whose rows depend on a changed one. A transcript that
 * cannot be read is reported and keeps its earlier rows. Rows of transcripts that were removed from the machine stay,
 * unless other transcripts contain the same calls.
 *
 * @throws AnalyticsError if the database cannot be read or written.
 */
export async function updateProjection(
  projection: Projection,
  transcripts: readonly FoundTranscript[],
  options: UpdateOptions,
): Promise<Updated> {
  const found = new Set(transcripts.map(({ path }) => path));
  const isDue = (one: FoundTranscript): boolean => one.modified >= options.since && !isRead(projection, one);
  let updated: Updated = { filesRead: 0, bytesRead: 0, problems: [] };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const due = transcripts.filter(isDue);
    if (due.length > 0) updated = await readDue(projection, due, options, updated);
    if (options.signal?.aborted === true || (!projection.forget(found) && due.length === 0)) break;
  }
  return updated;
}

/** Maximum number of passes. A pass after the first reads the transcripts whose rows depend on a changed one. */
const MAX_ROUNDS = 5;

function isRead(projection: Projection, { path, bytes, modified }: FoundTranscript): boolean {
  const source = projection.source(path);
  return source?.bytes === bytes && source.modified === modified;
}

async function readDue(
  projection: Projection,
  due: readonly FoundTranscript[],
  options: UpdateOptions,
  before: Updated,
): Promise<Updated> {
  const { onProgress, signal } = options;
  const files = before.filesRead + due.length;
  const bytes = due.reduce((sum, one) => sum + one.bytes, before.bytesRead);
  const problems = [...before.problems];
  let { filesRead, bytesRead } = before;
  for (const transcript of due) {
    onProgress?.({ files, filesRead, bytes, bytesRead });
    // Another process may have read the transcript since the list was made.
    const reason = isRead(projection, transcript) ? undefined : await readOne(projection, transcript, options);
    if (signal?.aborted === true) break;
    if (reason !== undefined) problems.push({ path: transcript.path, reason });
    filesRead += 1;
    bytesRead += transcript.bytes;
  }
  onProgress?.({ files, filesRead, bytes, bytesRead });
  return { filesRead, bytesRead, problems };
}

/** Reads one transcript and replaces its rows. Returns the reason if it could not be read. */
async function readOne(
  projection: Projection,
  transcript: FoundTranscript,
  options: UpdateOptions,
): Promise<string | undefined> {
  const empty = { transcript, format: '', sessions: [], calls: [], billed: new Map<never, never>(), skipped: 0 };
  try {
    for (let isWritten = false; !isWritten;) {
      const version = projection.version();
      const billed = billedLayer(projection.billedBy, transcript.path);
      const { calls, ...read } = await readCalls(await openTranscript(transcript.path), billed, options);
      if (options.signal?.aborted === true) return undefined;
      isWritten = projection.write({
        transcript,
        ...read,
        calls: calls.map(callRow),
        billed: billed.entries(),
        version,
      });
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof TidemarkError) || !error.code.startsWith('import/')) throw error;
    projection.write({ ...empty, version: projection.version(), problem: error.message });
    return error.message;
  }
}
