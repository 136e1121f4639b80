// Recognizes the format of a transcript from the content of its records. File names and extensions are not used.

import type { Json } from '@tidemark/log';
import { CLAUDE_CODE } from './claude-code/claude-reader.ts';
import { CODEX } from './codex/codex-reader.ts';
import { isCodexRecord } from './codex/codex-record.ts';
import { isCopilotEvent } from './copilot/copilot-event.ts';
import { COPILOT } from './copilot/copilot-reader.ts';
import type { JsonObject } from './file/fields.ts';
import { isList, isObject, objectOf } from './file/fields.ts';
import { readDocument } from './file/read-document.ts';
import { readRecords } from './file/read-records.ts';
import type { Format } from './format/format.ts';
import { ImportError } from './format/import-error.ts';
import { GEMINI_CLI } from './gemini-cli/gemini-reader.ts';
import { isGeminiRecord } from './gemini-cli/gemini-record.ts';
import { OPENCODE } from './opencode/opencode-reader.ts';
import { openCodeKind } from './opencode/opencode-row.ts';
import { piFormat } from './pi/pi-format.ts';

/** Function that opens the bytes of a file from the start. It is called once per pass. */
export type OpenBytes = () => AsyncIterable<Uint8Array>;

/**
 * Number of records of unknown format after which the search ends. The first few records of a transcript normally show
 * its format.
 */
const MAX_RECORDS = 200;

/** Maximum number of bytes that are searched for the first valid record: 256 MiB. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Returns the format of a transcript. `source` is the name of the file in error texts.
 *
 * @throws ImportError `import/empty`, `import/binary`, `import/no-sound-record`, `import/unrecognised`.
 */
export async function recogniseFormat(open: OpenBytes, source: string): Promise<Format> {
  const seen: Seen = { lines: 0, bytes: 0, records: 0 };
  for await (const lines of readDocument(countBytes(open(), seen, source))) {
    for (const line of lines) {
      seen.lines = line.number;
      if ('reason' in line) {
        seen.firstProblem ??= { line: line.number, reason: line.reason };
        continue;
      }
      const content = readRecords(line.text);
      for (const record of content.records) {
        const format = formatOf(record.value, source, line.number);
        if (format !== undefined) return format;
        seen.records += 1;
        seen.firstStranger ??= { line: line.number, reason: describe(record.value) };
      }
      for (const reason of content.problems) seen.firstProblem ??= { line: line.number, reason };
    }
    if (seen.records >= MAX_RECORDS) break;
  }
  throw refusal(seen, source);
}

interface Spot {
  readonly line: number;
  readonly reason: string;
}

interface Seen {
  lines: number;
  bytes: number;
  records: number;
  firstProblem?: Spot;
  firstStranger?: Spot;
}

async function* countBytes(chunks: AsyncIterable<Uint8Array>, seen: Seen, source: string): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (seen.bytes === 0 && isBinary(chunk)) {
      const reason = 'it contains binary data';
      const next = 'Use the transcript itself; decompress it first if it is compressed.';
      throw new ImportError('import/binary', `${source} is not text: ${reason}. ${next}`, { source, line: 1, reason });
    }
    seen.bytes += chunk.length;
    yield chunk;
    if (seen.records === 0 && seen.bytes > MAX_BYTES) return;
  }
}

// True if the start of a file looks binary: it contains control characters or many bytes that are not UTF-8, and no
// `{"`. A chunk with `{"` counts as text even with null bytes, because a crash can leave null bytes in a valid file.
function isBinary(chunk: Uint8Array): boolean {
  const start = chunk.subarray(0, 4096);
  const control = start.filter((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x20)).length;
  const text = new TextDecoder('utf-8').decode(start.subarray(0, Math.max(start.length - 4, 0)));
  const strange = text.split('\uFFFD').length - 1;
  return !text.includes('{"') && (control > 0 || strange > start.length / 20);
}

function refusal(seen: Seen, source: string): ImportError {
  if (seen.bytes === 0 || (seen.firstProblem === undefined && seen.firstStranger === undefined)) {
    return new ImportError('import/empty', `${source} is empty: there is nothing to import.`, { source });
  }
  const known =
    'Tidemark supports the session files of pi (formats 1 to 3), the transcripts of Claude Code, the rollouts of the Codex CLI, and the sessions of the Copilot CLI, the Gemini CLI and OpenCode.';
  if (seen.firstStranger !== undefined) {
    const { line, reason } = seen.firstStranger;
    const message = `${source} is not a supported transcript: line ${line} is ${reason}. ${known}`;
    return new ImportError('import/unrecognised', message, { source, line, reason });
  }
  const { line, reason } = seen.firstProblem ?? { line: 1, reason: 'not JSON' };
  const message = `${source} contains no record: line ${line} is ${reason}, and none of ${seen.lines} lines is a JSON record. ${known}`;
  return new ImportError('import/no-sound-record', message, { source, line, reason });
}

function describe(value: Json): string {
  if (isList(value)) return 'a JSON list';
  if (!isObject(value)) return `a JSON ${value === null ? 'null' : typeof value}`;
  const keys = Object.keys(value)
    .slice(0, 6)
    .map((key) => JSON.stringify(key.slice(0, 40)));
  return keys.length === 0 ? 'an empty JSON object' : `a JSON object with ${keys.join(', ')}`;
}

function formatOf(value: Json, source: string, line: number): Format | undefined {
  const record = objectOf(value);
  if (isClaudeRow(record)) return CLAUDE_CODE;
  if (openCodeKind(record) !== 'other') return OPENCODE;
  if (isCodexRecord(record)) return CODEX;
  if (isGeminiRecord(record)) return GEMINI_CLI;
  if (isCopilotEvent(record)) return COPILOT;
  if (record['type'] === 'session' && typeof record['id'] === 'string') return piByHeader(record, source, line);
  return piByEntry(record);
}

function piByHeader(header: JsonObject, source: string, line: number): Format | undefined {
  const version = header['version'] ?? 1;
  if (version === 1) return piFormat('pi-1');
  if (version === 2) return piFormat('pi-2');
  if (version === 3) return piFormat('pi-3');
  const reason = `the header of a pi session of format ${JSON.stringify(version)}`;
  const message = `${source}: line ${line} is ${reason}; formats 1 to 3 are supported. Look for a newer release of Tidemark.`;
  throw new ImportError('import/unrecognised', message, { source, line, reason });
}

const PI_ROLES: ReadonlySet<unknown> = new Set([
  'user',
  'assistant',
  'toolResult',
  'bashExecution',
  'custom',
  'hookMessage',
]);

// Recognizes the format from an entry, for a file whose header is missing.
function piByEntry(entry: JsonObject): Format | undefined {
  if (entry['type'] !== 'message' || !PI_ROLES.has(objectOf(entry['message'])['role'])) return undefined;
  return piFormat(entry['parentId'] === undefined ? 'pi-1' : 'pi-3');
}

const CLAUDE_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

function isClaudeRow(row: JsonObject): boolean {
  if (row['type'] === 'file-history-snapshot') return isObject(row['snapshot']);
  if (row['type'] === 'summary') return typeof row['leafUuid'] === 'string';
  if (row['type'] === 'queue-operation') return typeof row['sessionId'] === 'string';
  return CLAUDE_TYPES.has(row['type']) && typeof row['uuid'] === 'string' && 'parentUuid' in row;
}
