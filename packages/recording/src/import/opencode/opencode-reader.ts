// Reads the rows of a session of OpenCode. A row of a message begins a prompt or an answer, and the rows of its parts
// follow.

import { defined } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import type { BranchReader, BranchSource, Format } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { OpenCodeAnswer } from './opencode-answer.ts';
import { endMessage, finishStep, newOpenCodeAnswer, openCodeFailure, takeAnswerPart } from './opencode-answer.ts';
import type { OpenCodePrompt } from './opencode-prompt.ts';
import { promptMoves, takePromptPart } from './opencode-prompt.ts';
import { openCodeKind } from './opencode-row.ts';
import { openCodeSightings } from './opencode-sighting.ts';

interface OpenCodeReading {
  readonly source: BranchSource;
  prompt: OpenCodePrompt | undefined;
  answer: OpenCodeAnswer | undefined;
  /** Moves that come after the unfinished prompt or answer. */
  behind: readonly ImportedMove[];
  /** Request for a compaction whose summary has not been read yet. */
  compaction: { readonly ordinal: number; readonly isAutomatic: boolean } | undefined;
}

function openCodeReader(source: BranchSource): BranchReader {
  const reading: OpenCodeReading = {
    source,
    prompt: undefined,
    answer: undefined,
    behind: [],
    compaction: undefined,
  };
  return {
    read: (raw, from) => readRow(reading, raw, from),
    pass: (move) => holdBack(reading, move),
    release: () => settle(reading),
  };
}

function readRow(reading: OpenCodeReading, raw: RawRecord, from: From): readonly ImportedMove[] {
  const row = objectOf(raw.value);
  switch (openCodeKind(row)) {
    case 'message':
      return [...settle(reading), ...beginMessage(reading, row, from)];
    case 'part':
      return takePart(reading, row, raw, from);
    case 'session':
      return holdBack(reading, { type: 'foreign', from: { ...from, at: timeOf(row, from) } });
    case 'other':
      return holdBack(reading, { type: 'foreign', from, reason: 'a row of an unknown kind' });
  }
}

function timeOf(row: JsonObject, from: From): From['at'] {
  return momentOf(objectOf(row['time'])['created']) ?? from.at;
}

function beginMessage(reading: OpenCodeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const own = { ...from, at: timeOf(row, from) };
  if (row['role'] === 'assistant') {
    reading.answer = newOpenCodeAnswer(row, own);
    return [];
  }
  const foreign: ImportedMove = { type: 'foreign', from: own };
  if (row['role'] !== 'user') return [{ ...foreign, reason: 'a message of an unknown role' }];
  const trigger = reading.source.shared.whole.spawned === undefined ? 'user' : 'subagent';
  reading.prompt = { from: own, trigger, parts: [], added: [] };
  // The row has the agent and the settings of the turn, which no event contains.
  return [...effortMoves(reading, row, own), foreign];
}

// The effort is a variant of the model. Versions before 1.2 state it next to the model.
function effortMoves({ source }: OpenCodeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const { stated } = source.shared;
  const setting = nameOf(objectOf(row['model'])['variant']) ?? nameOf(row['variant']) ?? 'default';
  const before = stated.reasoning;
  stated.reasoning = setting;
  if (before === setting) return [];
  return [{ type: 'reasoning', from, setting, ...(before === undefined ? { silent: true } : {}) }];
}

function takePart(reading: OpenCodeReading, row: JsonObject, raw: RawRecord, from: From): readonly ImportedMove[] {
  const { prompt, answer, source } = reading;
  if (prompt !== undefined) {
    if (row['type'] === 'compaction') return requestCompaction(reading, row, heldAt(from, prompt));
    if (takePromptPart(prompt, row, source.keep)) return [];
    return holdBack(reading, { type: 'foreign', from: heldAt(from, prompt) });
  }
  if (answer === undefined) return [{ type: 'foreign', from, reason: 'a part without its message' }];
  switch (row['type']) {
    case 'step-start':
      return [];
    case 'step-finish':
      return finishStep(answer, row['tokens'], nameOf(row['reason']));
    case 'retry':
      return [openCodeFailure(objectOf(row['error']), { ...from, at: timeOf(row, from) }, answer.startedAt)];
    default:
      if (takeAnswerPart(answer, row, raw.text, from, source.keep)) return [];
      return holdBack(reading, { type: 'foreign', from: heldAt(from, answer) });
  }
}

// The client compacts by itself in a turn. A compaction that the user requests comes after the end of a turn.
function requestCompaction(reading: OpenCodeReading, row: JsonObject, from: From): readonly ImportedMove[] {
  const isAutomatic = row['auto'] === true;
  reading.compaction = { ordinal: from.ordinal, isAutomatic };
  const moves = holdBack(reading, { type: 'foreign', from });
  return isAutomatic ? moves : [{ type: 'end', from }, ...moves];
}

function heldAt(from: From, held: OpenCodePrompt | OpenCodeAnswer): From {
  return { ...from, at: held.from.at };
}

function holdBack(reading: OpenCodeReading, move: ImportedMove): readonly ImportedMove[] {
  if (reading.prompt === undefined && reading.answer === undefined) return [move];
  reading.behind = [...reading.behind, move];
  return [];
}

/** Ends the unfinished prompt or answer, and returns the moves after it. */
function settle(reading: OpenCodeReading): readonly ImportedMove[] {
  const { prompt, answer, behind } = reading;
  reading.prompt = undefined;
  reading.answer = undefined;
  reading.behind = [];
  if (prompt !== undefined) return [...promptMoves(prompt), ...behind];
  return answer === undefined ? behind : [...endMessage(answer), ...summaryMoves(reading, answer), ...behind];
}

// The answer to the question for a summary replaces the history, if the client used it.
function summaryMoves(
  reading: OpenCodeReading,
  { message, summary, from, at }: OpenCodeAnswer,
): readonly ImportedMove[] {
  const { compaction } = reading;
  const isUsed =
    message['summary'] === true && nameOf(message['finish']) !== undefined && message['error'] === undefined;
  if (!isUsed || summary === '') return [];
  reading.compaction = undefined;
  const trigger = compaction === undefined ? 'recorded' : compaction.isAutomatic ? 'auto' : 'manual';
  const boundary = compaction?.ordinal;
  return [{ type: 'compaction', from: { ...from, at }, summary, trigger, ...defined({ boundary }) }];
}

/** Format of the sessions of OpenCode: exported files, and the folder and the database of the client. */
export const OPENCODE: Format = {
  name: 'opencode',
  sightings: openCodeSightings,
  reader: openCodeReader,
};
