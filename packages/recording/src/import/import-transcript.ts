// A transcript in, the events of its sessions out: two passes over the file, holding only what is open. The first draws
// the outline (branches, what lies ahead), the second makes the events.

import type { Json, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { BilledCalls } from './build/billed-calls.ts';
import { momentOf, objectOf } from './file/fields.ts';
import { readLines } from './file/read-lines.ts';
import { readRecords } from './file/read-records.ts';
import type { Format } from './format/format.ts';
import { ImportError } from './format/import-error.ts';
import type { ImportOutcome, ImportStep, SkippedLine } from './import-step.ts';
import type { OpenBytes } from './recognise.ts';
import { recogniseFormat } from './recognise.ts';
import type { MintSession } from './session-names.ts';
import { importedSessionId } from './session-names.ts';
import { createSessions } from './sessions.ts';
import type { Stage } from './stages.ts';
import { surveyStage } from './stages.ts';

/** What an import is told beside the bytes. */
export interface ImportOptions {
  /** The name of the file, for errors and for `session.created`. */
  readonly source: string;
  /** Names the sessions; without it, `importedSessionId`. */
  readonly mint?: MintSession;
}

/** A file that was read once. */
export interface Transcript {
  readonly open: OpenBytes;
  readonly format: Format;
  readonly source: string;
  readonly mint: MintSession;
  /** The file as it is now. */
  readonly whole: Stage;
}

const NO_TIME: Timestamp = timestamp('1970-01-01T00:00:00.000Z');

/**
 * Reads a transcript of pi or Claude Code. Nothing is lost: each record became an event, or part of one, or is
 * `foreign.recorded` as it was; what is no JSON is in `skipped`. Memory is bounded by the longest line, the longest
 * answer, and about a hundred bytes a record.
 *
 * @throws ImportError before the first step, when nothing can be imported; `import/changed` when the file shrinks.
 */
export async function* importTranscript(
  open: OpenBytes,
  options: ImportOptions,
): AsyncGenerator<ImportStep, ImportOutcome> {
  const transcript = await readTranscript(open, options);
  return yield* importStages(transcript, [transcript.whole], new Map());
}

/** The first pass. @throws ImportError when nothing can be imported. */
export async function readTranscript(open: OpenBytes, options: ImportOptions): Promise<Transcript> {
  const { source, mint = importedSessionId } = options;
  const format = await recogniseFormat(open, source);
  return { open, format, source, mint, whole: await surveyStage(open, format) };
}

/**
 * The second pass, over stages of which the last is the whole file. `billed` holds calls that other sessions bill, and is
 * added to. @throws ImportError `import/changed` when the file shrinks.
 */
export async function* importStages(
  { open, format, source, mint, whole }: Transcript,
  stages: readonly [Stage, ...Stage[]],
  billed: BilledCalls,
): AsyncGenerator<ImportStep, ImportOutcome> {
  const { outline } = whole;
  const sessions = createSessions({ format, stages, source, mint, billed });
  const skipped: SkippedLine[] = [];
  let ordinal = 0;
  let at = outline.at ?? NO_TIME;
  for await (const lines of readLines(open())) {
    for (const line of lines) {
      // What was appended to the file since the first pass belongs to another import.
      if (line.number > outline.lines) break;
      const { records, problems } =
        'reason' in line ? { records: [], problems: [line.reason] } : readRecords(line.text);
      for (const reason of problems) skipped.push({ line: line.number, reason });
      for (const raw of records) {
        if (ordinal === outline.records) break;
        at = timeOf(raw.value) ?? at;
        yield* sessions.take(raw, { ordinal, line: line.number, at, record: raw.value });
        ordinal += 1;
      }
    }
  }
  if (ordinal < outline.records) {
    const message = `${source} became shorter while it was read: ${ordinal} of ${outline.records} records. Import it again.`;
    throw new ImportError('import/changed', message, { source });
  }
  return { format: format.name, digest: whole.digest, lines: outline.lines, skipped, ...sessions.totals() };
}

function timeOf(value: Json): Timestamp | undefined {
  return momentOf(objectOf(value)['timestamp']);
}
