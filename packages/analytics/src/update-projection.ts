// Brings the rows up to date with the transcripts on the machine. Only transcripts that are new or have changed are
// read, one after the other.

import type { RowOf } from '@tidemark/context';
import { openTranscript } from '@tidemark/recording';
import { TidemarkError } from '@tidemark/core';
import { callRow } from './call-row.ts';
import type { FoundTranscript } from './find-transcripts.ts';
import type { Projection } from './projection.ts';
import { billedLayer } from './projection.ts';
import { readCalls } from './read-calls.ts';

/** Options of an update. */
export interface UpdateOptions {
  readonly rowOf: RowOf;
  /** Transcripts whose last change is before this time are not read, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Is called before each transcript and at the end. */
  readonly onProgress?: (progress: UpdateProgress) => void;
  /** Ends the update after the current transcript. */
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
 * Reads the transcripts that are new or have changed. A transcript that cannot be read is reported and keeps its earlier
 * rows. Rows of transcripts that were removed from the machine stay.
 *
 * @throws AnalyticsError if the database cannot be written.
 */
export async function updateProjection(
  projection: Projection,
  transcripts: readonly FoundTranscript[],
  { rowOf, since, onProgress, signal }: UpdateOptions,
): Promise<Updated> {
  const sources = projection.sources();
  const due = transcripts.filter((one) => one.modified >= since && !isRead(one, sources.get(one.path)));
  const bytes = due.reduce((sum, one) => sum + one.bytes, 0);
  const problems: UnreadTranscript[] = [];
  let [filesRead, bytesRead] = [0, 0];
  for (const transcript of due) {
    if (signal?.aborted === true) break;
    onProgress?.({ files: due.length, filesRead, bytes, bytesRead });
    const reason = await readOne(projection, transcript, rowOf, sources.get(transcript.path)?.id);
    if (reason !== undefined) problems.push({ path: transcript.path, reason });
    filesRead += 1;
    bytesRead += transcript.bytes;
  }
  if (due.length > 0) onProgress?.({ files: due.length, filesRead, bytes, bytesRead });
  return { filesRead, bytesRead, problems };
}

function isRead(
  { bytes, modified }: FoundTranscript,
  source: { readonly bytes: number; readonly modified: number } | undefined,
): boolean {
  return source?.bytes === bytes && source.modified === modified;
}

/** Reads one transcript and replaces its rows. Returns the reason if it could not be read. */
async function readOne(
  projection: Projection,
  transcript: FoundTranscript,
  rowOf: RowOf,
  earlier: number | undefined,
): Promise<string | undefined> {
  const billed = billedLayer(projection, earlier);
  try {
    const { format, sessions, calls, skipped } = await readCalls(await openTranscript(transcript.path), billed, rowOf);
    projection.write({ transcript, format, sessions, calls: calls.map(callRow), billed: billed.own, skipped });
    return undefined;
  } catch (error) {
    if (!(error instanceof TidemarkError) || !error.code.startsWith('import/')) throw error;
    const problem = error.message;
    projection.write({ transcript, format: '', sessions: [], calls: [], billed: new Map(), skipped: 0, problem });
    return problem;
  }
}
