// Reads the rows of one branch of Claude Code. An answer is held until its last row, together with all moves between
// its rows. A compaction is read from two rows: the boundary row, and the summary row after it.

import { defined } from '@tidemark/core';
import { failureOf } from '../format/failure.ts';
import { contentParts } from '../format/format.ts';
import type { JsonObject } from '../file/fields.ts';
import { countOf, nameOf, objectOf, textOf, listOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import type { BranchReader, BranchSource, Format } from '../format/format.ts';
import type { From, ImportedMove, FailedMove } from '../format/move.ts';
import { isAnswer, isQueuedPrompt, sightRow } from './claude-sighting.ts';
import { noteRow, requestMoves } from './claude-request.ts';
import { promptMove, userMoves } from './claude-user-row.ts';
import type { MergingAnswer } from './claude-answer.ts';
import { answerId, beginAnswer, finishAnswer, growAnswer } from './claude-answer.ts';

/**
 * Maximum text that is held for an unfinished answer, in characters. Above this limit the answer is delivered before
 * its last row, and its later rows are kept as foreign records.
 */
const MAX_HELD_TEXT = 32 * 1024 * 1024;

interface ClaudeReading {
  readonly source: BranchSource;
  answer: MergingAnswer | undefined;
  behind: ImportedMove[];
  held: number;
  /** Ids of answers that were delivered before their last row. */
  readonly cut: Set<string>;
  boundary: { readonly from: From; readonly row: JsonObject } | undefined;
  reasoning: string | undefined;
  before: From | undefined;
}

function claudeReader(source: BranchSource): BranchReader {
  const reading: ClaudeReading = {
    source,
    answer: undefined,
    behind: [],
    held: 0,
    cut: new Set(),
    boundary: undefined,
    reasoning: undefined,
    before: undefined,
  };
  return {
    read: (raw, from) => readRow(reading, raw, from),
    pass: (move) => holdBack(reading, [move]),
    release: () => [...letGo(reading), ...dropBoundary(reading)],
  };
}

function readRow(reading: ClaudeReading, raw: RawRecord, from: From): readonly ImportedMove[] {
  const row = objectOf(raw.value);
  noteRow(reading.source, row);
  const moves =
    row['type'] === 'assistant' && isAnswer(row) ? answerRow(reading, row, raw, from) : otherRow(reading, row, from);
  reading.before = from;
  reading.held += reading.answer === undefined ? 0 : raw.text.length;
  return reading.held > MAX_HELD_TEXT ? [...moves, ...letGo(reading)] : moves;
}

function answerRow(reading: ClaudeReading, row: JsonObject, raw: RawRecord, from: From): readonly ImportedMove[] {
  const id = answerId(row);
  if (id === undefined || objectOf(row['message'])['content'] === undefined) {
    return holdBack(reading, [{ type: 'foreign', from, reason: 'an assistant row without an id or content' }]);
  }
  if (reading.cut.has(id)) {
    return holdBack(reading, [{ type: 'foreign', from, reason: `a late row of the answer ${id}` }]);
  }
  const moves: ImportedMove[] = [];
  if (reading.answer?.id === id) {
    growAnswer(reading.answer, row, raw.text, from);
  } else {
    moves.push(...letGo(reading), ...dropBoundary(reading));
    reading.answer = beginAnswer(id, row, raw.text, from, reading.before?.at);
  }
  if (isLastRow(reading, id, from)) moves.push(...letGo(reading));
  return moves;
}

function isLastRow({ source }: ClaudeReading, id: string, from: From): boolean {
  return (source.outline.answerEnd(source.branch, id) ?? from.ordinal) <= from.ordinal;
}

/**
 * Returns the held answer and the moves held after it, and clears both. If rows of the answer are still missing, adds
 * its id to `cut`.
 */
function letGo(reading: ClaudeReading): readonly ImportedMove[] {
  const { answer, behind: moves, source } = reading;
  if (answer === undefined) return [];
  if ((source.outline.answerEnd(source.branch, answer.id) ?? 0) > answer.last) reading.cut.add(answer.id);
  reading.answer = undefined;
  reading.behind = [];
  reading.held = 0;
  return [finishAnswer(answer), ...moves];
}

function holdBack(reading: ClaudeReading, moves: readonly ImportedMove[]): readonly ImportedMove[] {
  if (reading.answer === undefined) return moves;
  reading.behind.push(...moves);
  return [];
}

function otherRow(reading: ClaudeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  switch (row['type']) {
    case 'assistant':
      return holdBack(reading, [writtenForTheModel(row, from, reading.before)]);
    case 'user':
      return holdBack(reading, userRow(reading, row, from));
    case 'attachment':
      return holdBack(reading, isQueuedPrompt(row) ? queuedPrompt(reading, row, from) : [{ type: 'foreign', from }]);
    case 'api-request-shape':
    case 'api-request-blob':
    case 'api-request':
      return holdBack(reading, requestMoves(reading.source, row, from));
    case 'system':
      if (row['subtype'] !== 'compact_boundary') return holdBack(reading, [{ type: 'foreign', from }]);
      return holdBack(reading, openBoundary(reading, row, from));
    default: {
      const untyped = typeof row['type'] === 'string' ? {} : { reason: 'a record without a type' };
      return holdBack(reading, [{ type: 'foreign', from, ...untyped }]);
    }
  }
}

function writtenForTheModel(row: JsonObject, from: From, before: From | undefined): ImportedMove {
  if (row['isApiErrorMessage'] !== true) return { type: 'foreign', from, reason: 'not written by a model' };
  const error = claudeError(row, from);
  return before === undefined ? error : { ...error, startedAt: before.at };
}

function openBoundary(reading: ClaudeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const dropped = dropBoundary(reading);
  reading.boundary = { from, row };
  return dropped;
}

// Drops a boundary that has no summary, because it changed nothing that an event could record. The boundary is kept as
// a foreign record.
function dropBoundary(reading: ClaudeReading): readonly ImportedMove[] {
  const { boundary } = reading;
  reading.boundary = undefined;
  return boundary === undefined
    ? []
    : [{ type: 'foreign', from: boundary.from, reason: 'a boundary without a summary' }];
}

function userRow(reading: ClaudeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  if (row['isCompactSummary'] === true) return [compaction(reading, row, from)];
  const moves = userMoves(row, from, reading.source.keep, reading.source.isSubagent);
  const isPrompt = moves.some(({ type }) => type === 'prompt' || type === 'notification');
  return [...(isPrompt ? dropBoundary(reading) : []), ...reasoningOf(reading, row, from), ...moves];
}

function compaction(reading: ClaudeReading, row: JsonObject, from: From): ImportedMove {
  const { boundary } = reading;
  reading.boundary = undefined;
  const content = objectOf(row['message'])['content'];
  const parts = contentParts(content, reading.source.keep);
  const summary = textOf(content) ?? parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const metadata = objectOf(boundary?.row['compactMetadata']);
  const before = countOf(metadata['preTokens']);
  return defined({
    type: 'compaction',
    from,
    summary,
    trigger: nameOf(metadata['trigger']) ?? 'recorded',
    boundary: boundary?.from.ordinal,
    before,
  });
}

// Returns a move if the reasoning setting of the row differs from the last known one. A prompt row contains the current
// thinking budget. The move of the first such row is `silent`, because no setting changed there.
function reasoningOf(reading: ClaudeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const metadata = objectOf(row['thinkingMetadata']);
  const budget = countOf(metadata['maxThinkingTokens']);
  const setting =
    metadata['disabled'] === true
      ? 'none'
      : (nameOf(metadata['level']) ?? (budget === undefined ? undefined : `${budget}`));
  if (setting === undefined || setting === reading.reasoning) return [];
  const first = reading.reasoning === undefined;
  reading.reasoning = setting;
  return [{ type: 'reasoning', from, setting, ...(first ? { silent: true } : {}) }];
}

function queuedPrompt(reading: ClaudeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const parts = contentParts(objectOf(row['attachment'])['prompt'], reading.source.keep);
  return [promptMove(from, parts, { trigger: 'user', steer: true })];
}

function claudeError(row: JsonObject, from: From): FailedMove {
  const message = listOf(objectOf(row['message'])['content'])
    .map((block) => textOf(objectOf(block)['text']) ?? '')
    .join('\n');
  const text = `${nameOf(row['error']) ?? ''} ${message}`;
  return { type: 'failed', from, ...failureOf(text), message };
}

/**
 * Format of Claude Code's transcripts: one row per line, linked by `uuid` and `parentUuid`. Covers all versions that
 * write such rows.
 */
export const CLAUDE_CODE: Format = { name: 'claude-code', sightings: () => sightRow, reader: claudeReader };
