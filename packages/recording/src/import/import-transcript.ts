// A transcript in, the events of its sessions out: two passes over the file, holding only what is open. The first draws
// the outline (branches, what lies ahead), the second makes the events.

import { createHash } from 'node:crypto';
import type { Digest, Json, Timestamp } from '@tidemark/log';
import { digest, timestamp } from '@tidemark/log';
import { momentOf, objectOf } from './file/fields.ts';
import { readLines } from './file/read-lines.ts';
import { readRecords } from './file/read-records.ts';
import type { Format } from './format.ts';
import { ImportError } from './import-error.ts';
import type { ImportOutcome, ImportStep, SkippedLine } from './import-step.ts';
import { drawOutline } from './outline/draw-outline.ts';
import type { Outline } from './outline/outline.ts';
import type { OpenBytes } from './recognise.ts';
import { recogniseFormat } from './recognise.ts';
import type { MintSession } from './session-names.ts';
import { importedSessionId } from './session-names.ts';
import { createSessions } from './sessions.ts';

/** What an import is told beside the bytes. */
export interface ImportOptions {
  /** The name of the file, for errors and for `session.created`. */
  readonly source: string;
  /** Names the sessions; without it, `importedSessionId`. */
  readonly mint?: MintSession;
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
  const format = await recogniseFormat(open, options.source);
  const surveyed = await survey(open, format);
  const { outline } = surveyed;
  const mint = options.mint ?? importedSessionId;
  const sessions = createSessions({ format, ...surveyed, source: options.source, mint });
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
    const message = `${options.source} became shorter while it was read: ${ordinal} of ${outline.records} records. Import it again.`;
    throw new ImportError('import/changed', message, { source: options.source });
  }
  return { format: format.name, digest: surveyed.digest, lines: outline.lines, skipped, ...sessions.totals() };
}

function timeOf(value: Json): Timestamp | undefined {
  return momentOf(objectOf(value)['timestamp']);
}

async function survey(
  open: OpenBytes,
  format: Format,
): Promise<{ readonly outline: Outline; readonly digest: Digest }> {
  const hash = createHash('sha256');
  const drawing = drawOutline();
  let count = 0;
  for await (const lines of readLines(hashed(open(), (chunk) => hash.update(chunk)))) {
    for (const line of lines) {
      count = line.number;
      if ('reason' in line) continue;
      for (const raw of readRecords(line.text).records) {
        drawing.add(format.sight(raw));
      }
    }
  }
  return { outline: drawing.finish(count), digest: digest(hash.digest('hex')) };
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    see(chunk);
    yield chunk;
  }
}
