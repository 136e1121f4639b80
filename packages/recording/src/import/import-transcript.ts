// Turns a transcript into the events of its sessions, in two passes. The first pass draws the outline: the branches,
// and the places where answers and results end. The second pass makes the events. Both passes keep only unfinished
// state in memory.

import { defined } from '@tidemark/core';
import type { Json, Timestamp } from '@tidemark/log';
import { timestamp } from '@tidemark/log';
import type { BilledCalls } from './build/billed-calls.ts';
import { momentOf, objectOf } from './file/fields.ts';
import { readDocument } from './file/read-document.ts';
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
import { openFile } from './open-file.ts';
import type { SubagentFile } from './subagent-file.ts';
import { readSubagentFile } from './subagent-file.ts';
import { threadOfPath } from './subagent-thread.ts';
import type { SpawnedThread } from './outline/outline.ts';

/** Bytes of a transcript, with a name that error texts contain. */
export interface ImportSource {
  /** Opens the bytes from the start. The function is called once per pass and must return the same bytes each time. */
  readonly open: OpenBytes;
  readonly source: string;
}

/** Transcript file, with the facts about its subagent if it is the file of one. */
export interface TranscriptFile extends ImportSource {
  readonly subagent?: SubagentFile;
  /** Thread of the subagent as the path of the file states it, for the Gemini CLI. */
  readonly thread?: SpawnedThread;
}

/**
 * Checks that a file can be imported, and reads the facts about its subagent.
 *
 * @throws ImportError `import/missing`, `import/unreadable`, `import/empty`.
 */
export async function openTranscript(path: string): Promise<TranscriptFile> {
  const open = await openFile(path);
  const subagent = await readSubagentFile(path);
  return { open, source: path, ...defined({ subagent, thread: threadOfPath(path) }) };
}

/** Options of an import, in addition to the bytes. */
export interface ImportOptions {
  /** Name of the file, for errors and for `session.created`. */
  readonly source: string;
  /** Function that names the sessions. Default: `importedSessionId`. */
  readonly mint?: MintSession;
  /** Facts about the subagent whose transcript the file is. */
  readonly subagent?: SubagentFile;
  /** Thread of the subagent whose transcript the file is, if the path states it. Used for the Gemini CLI. */
  readonly thread?: SpawnedThread;
  /** Calls that other imports already bill. The calls of this import are added. Default: there are no others. */
  readonly billed?: BilledCalls;
}

/** Transcript after the first pass. */
export interface Transcript {
  readonly open: OpenBytes;
  readonly format: Format;
  readonly source: string;
  readonly mint: MintSession;
  readonly subagent?: SubagentFile;
  readonly thread?: SpawnedThread;
  /** State of the whole file at the first pass. */
  readonly whole: Stage;
}

const NO_TIME: Timestamp = timestamp('1970-01-01T00:00:00.000Z');

/**
 * Imports a transcript of any supported agent. No record is lost: each one becomes an event or part of an event, or is
 * kept unchanged as `foreign.recorded`. Text that is not JSON is listed in `skipped`. Memory is limited by the longest
 * line, the longest answer, and about a hundred bytes per record.
 *
 * @throws ImportError before the first step if nothing can be imported. `import/changed` if the file becomes shorter.
 */
export async function* importTranscript(
  open: OpenBytes,
  options: ImportOptions,
): AsyncGenerator<ImportStep, ImportOutcome> {
  const transcript = await readTranscript(open, options);
  return yield* importStages(transcript, [transcript.whole], options.billed ?? new Map());
}

/**
 * Recognizes the format of a transcript and runs the first pass.
 *
 * @throws ImportError if nothing can be imported.
 */
export async function readTranscript(open: OpenBytes, options: ImportOptions): Promise<Transcript> {
  const { source, mint = importedSessionId, subagent } = options;
  const format = await recogniseFormat(open, source);
  const thread = format.name === 'gemini-cli' ? options.thread : undefined;
  return { open, format, source, mint, ...defined({ subagent, thread }), whole: await surveyStage(open, format) };
}

/**
 * Runs the second pass over the states of the file (`stages`), shortest first. The last stage is the whole file.
 * `billed` contains the calls that other sessions bill. The function adds the calls of this import to `billed`.
 *
 * @throws ImportError `import/changed` if the file becomes shorter.
 */
export async function* importStages(
  { open, format, source, mint, subagent, whole }: Transcript,
  stages: readonly [Stage, ...Stage[]],
  billed: BilledCalls,
): AsyncGenerator<ImportStep, ImportOutcome> {
  const { outline } = whole;
  const sessions = createSessions({ format, stages, source, mint, billed, ...defined({ title: subagent?.title }) });
  const skipped: SkippedLine[] = [];
  let ordinal = 0;
  let at = outline.at ?? NO_TIME;
  for await (const lines of readDocument(open())) {
    for (const line of lines) {
      // Lines that were appended to the file after the first pass are not imported now. A later import can read them.
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
