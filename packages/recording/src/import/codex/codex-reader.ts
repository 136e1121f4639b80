// Reads the records of one branch of a rollout of the Codex CLI. An answer is held until its token counts arrive, or
// until a record shows that the answer has ended. Version 0.47 writes the counts before the items of the answer,
// versions 0.98 and 0.169 after them.

import { defined } from '@tidemark/core';
import type { Timestamp } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { nameOf, objectOf, textOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import type { BranchReader, BranchSource, Format } from '../format/format.ts';
import { failureOf } from '../format/failure.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CodexAnswer, CodexCounts } from './codex-answer.ts';
import { codexPart, codexUsage, cutCodexAnswer, finishedCodexAnswer } from './codex-answer.ts';
import { agentMessage, compactionMoves, inputMove, resultMove } from './codex-input.ts';
import type { CodexRecord } from './codex-record.ts';
import { RESULTS, codexRecord, isWritten } from './codex-record.ts';
import { codexSightings } from './codex-sighting.ts';

/**
 * Maximum text that is held for an unfinished answer, in characters. Above this limit the answer is delivered before
 * its token counts arrive.
 */
const MAX_HELD = 4 * 1024 * 1024;

interface CodexReading {
  readonly source: BranchSource;
  answer: CodexAnswer | undefined;
  /** Moves after the unfinished answer. */
  behind: ImportedMove[];
  held: number;
  /** True if results came after the items of the unfinished answer. */
  answered: boolean;
  /** Token counts that arrived before the items of their answer. */
  ahead: { readonly counts: CodexCounts; readonly from: From } | undefined;
  /** True if the last answer was delivered without its token counts. Counts that come next belong to it. */
  owed: boolean;
  /** True if an input came after the last answer, so that a request can be running. */
  asked: boolean;
  /** Time of the last input of the model. */
  inputAt: Timestamp | undefined;
  /** Text of the last failure, which the client records twice. */
  failure: string | undefined;
}

function codexReader(source: BranchSource): BranchReader {
  const reading: CodexReading = {
    source,
    answer: undefined,
    behind: [],
    held: 0,
    answered: false,
    ahead: undefined,
    owed: false,
    asked: false,
    inputAt: undefined,
    failure: undefined,
  };
  return {
    read: (raw, from) => readRecord(reading, raw, from),
    pass: (move) => holdBack(reading, [move]),
    release: () => cutOff(reading),
  };
}

function readRecord(reading: CodexReading, raw: RawRecord, from: From): readonly ImportedMove[] {
  const record = codexRecord(raw);
  const moves = isWritten(record) ? takeItem(reading, record, from) : takeOther(reading, record, from);
  reading.held += reading.answer === undefined ? 0 : raw.text.length;
  return reading.held > MAX_HELD ? [...moves, ...cutOff(reading)] : moves;
}

/** Adds an item to the unfinished answer, or begins the next answer. */
function takeItem(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  const { source, answer, answered } = reading;
  const part = codexPart(record);
  // Versions that write the counts first, and the first versions, write each result directly after its call. There the
  // next call belongs to the same answer.
  const goesOn = answer !== undefined && (!answered || answer.usage !== undefined || isBareCall(record, source));
  if (goesOn) {
    answer.parts.push(part);
    answer.at = from.at;
    return [];
  }
  const moves = finish(reading, undefined);
  const { provider = 'openai', model = 'unknown' } = source.shared.stated;
  const { ahead } = reading;
  reading.ahead = undefined;
  reading.owed = false;
  reading.asked = false;
  reading.answer = {
    first: from,
    startedAt: reading.inputAt,
    provider,
    model,
    usage: ahead?.counts.usage,
    parts: [part],
    at: from.at,
  };
  return moves;
}

function isBareCall({ type }: CodexRecord, { shared }: BranchSource): boolean {
  return shared.stated.bare === true && type === 'function_call';
}

function takeOther(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  switch (record.kind) {
    case 'response_item':
      return takeInput(reading, record, from);
    case 'inter_agent_communication':
      return input(reading, from, [agentMessage(record, from)]);
    case 'compacted':
      return [...settle(reading), ...compactionMoves(record, from)];
    case 'token_usage_record':
      return takeCounts(reading, record, from);
    case 'event_msg':
      return takeEvent(reading, record, from);
    case 'turn_context':
      return [...settle(reading), ...turnMoves(reading, record, from)];
    case 'session_meta':
      return [...settle(reading), ...metaMoves(reading, record, from)];
    case 'state':
      return [...settle(reading), { type: 'foreign', from }];
    case '':
      return holdBack(reading, [{ type: 'foreign', from, reason: 'a record without a type' }]);
    default:
      return holdBack(reading, [{ type: 'foreign', from }]);
  }
}

function takeInput(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  const { keep, shared } = reading.source;
  if (RESULTS.has(record.type)) {
    reading.answered = reading.answer !== undefined;
    reading.asked = true;
    reading.inputAt = from.at;
    return holdBack(reading, [resultMove(record, from, keep)]);
  }
  if (record.type === 'agent_message') return input(reading, from, [agentMessage(record, from)]);
  if (record.type !== 'message') return holdBack(reading, [{ type: 'foreign', from }]);
  if (record.payload['content'] === undefined)
    return holdBack(reading, [{ type: 'foreign', from, reason: 'a message without content' }]);
  const trigger = shared.stated.isSubagent === true ? 'subagent' : 'user';
  return input(reading, from, [inputMove(record, from, keep, trigger)]);
}

function input(reading: CodexReading, from: From, moves: readonly ImportedMove[]): readonly ImportedMove[] {
  const settled = settle(reading);
  reading.asked = true;
  reading.owed = false;
  reading.inputAt = from.at;
  return [...settled, ...moves];
}

/** Takes the token counts that newer versions write directly after the items of an answer. */
function takeCounts(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  const { stated } = reading.source.shared;
  const usage = codexUsage(record.payload['usage'], stated.model ?? '');
  if (usage === undefined) return holdBack(reading, [{ type: 'foreign', from }]);
  stated.counts = canonicalText(record.payload['usage'] ?? null);
  const counts = { usage, response: nameOf(record.payload['response_id']) };
  if (reading.answer !== undefined) return finish(reading, counts);
  reading.owed = false;
  return [emptyAnswer(reading, counts, from)];
}

/**
 * Takes a `token_count` event. The event is also written if only a limit changed, and after a record with the same
 * counts. It then counts no call.
 */
function takeTotal(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  const { stated } = reading.source.shared;
  const info = objectOf(record.payload['info']);
  const total = canonicalText(info['total_token_usage'] ?? null);
  const last = canonicalText(info['last_token_usage'] ?? null);
  const usage = codexUsage(info['last_token_usage'], stated.model ?? '');
  const isKnown = total === stated.total || last === stated.counts;
  stated.total = total;
  if (usage === undefined || isKnown) return holdBack(reading, [{ type: 'foreign', from }]);
  delete stated.counts;
  const counts = { usage };
  if (reading.owed) {
    reading.owed = false;
    return [emptyAnswer(reading, counts, from)];
  }
  if (reading.answer !== undefined && reading.answer.usage === undefined) return finish(reading, counts);
  const moves = settle(reading);
  reading.ahead = { counts, from };
  return moves;
}

// Returns a call whose answer is not in the rollout, for example the question for a summary in older versions.
function emptyAnswer({ source, inputAt }: CodexReading, counts: CodexCounts, from: From): ImportedMove {
  const { provider = 'openai', model = 'unknown' } = source.shared.stated;
  const answer = { first: from, startedAt: inputAt, provider, model, usage: undefined, parts: [], at: from.at };
  return finishedCodexAnswer(answer, counts);
}

function takeEvent(reading: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  switch (record.type) {
    case 'token_count':
      return takeTotal(reading, record, from);
    case 'task_started':
      reading.failure = undefined;
      return [...settle(reading), { type: 'foreign', from }];
    case 'turn_aborted':
      return [...abort(reading, from), { type: 'foreign', from }, { type: 'end', from }];
    case 'error':
      return fail(reading, record.payload, from);
    case 'task_complete': {
      const failed = record.payload['error'];
      const moves: readonly ImportedMove[] =
        failed === undefined || failed === null
          ? [...settle(reading), { type: 'foreign', from }]
          : fail(reading, objectOf(failed), from);
      return [...moves, { type: 'end', from }];
    }
    default:
      return holdBack(reading, [{ type: 'foreign', from }]);
  }
}

/** Ends a turn that the user interrupted. Calls without a result are closed by the builder. */
function abort(reading: CodexReading, from: From): readonly ImportedMove[] {
  const { answer, asked, source } = reading;
  if (answer !== undefined && answer.parts.every(({ type }) => type !== 'call')) {
    reading.answer = undefined;
    return [cutCodexAnswer(answer, 'user'), ...takeBehind(reading)];
  }
  const settled = settle(reading);
  if (answer !== undefined || !asked) return settled;
  reading.asked = false;
  const { provider = 'openai', model = 'unknown' } = source.shared.stated;
  return [...settled, { type: 'interrupted', from, by: 'user', provider, model, parts: [] }];
}

function fail(reading: CodexReading, error: CodexRecord['payload'], from: From): readonly ImportedMove[] {
  const message = textOf(error['message']) ?? '';
  const settled = settle(reading);
  const foreign: ImportedMove = { type: 'foreign', from };
  if (reading.failure === message) return [...settled, foreign];
  reading.failure = message;
  reading.asked = false;
  const info = error['codex_error_info'];
  const failure = failureOf(`${textOf(info) ?? JSON.stringify(info ?? '')} ${message}`);
  return [...settled, { type: 'failed', from, ...failure, message, ...defined({ startedAt: reading.inputAt }) }];
}

// The model and the reasoning effort are not in the answers. A record before each turn states them.
function turnMoves({ source }: CodexReading, { payload }: CodexRecord, from: From): readonly ImportedMove[] {
  const { stated } = source.shared;
  const settings = objectOf(objectOf(payload['collaboration_mode'])['settings']);
  const model = nameOf(payload['model']) ?? nameOf(settings['model']);
  if (model !== undefined) stated.model = model;
  const setting = nameOf(payload['effort']) ?? nameOf(settings['reasoning_effort']) ?? 'default';
  const before = stated.reasoning;
  stated.reasoning = setting;
  const foreign: ImportedMove = { type: 'foreign', from };
  if (before === setting) return [foreign];
  return [{ type: 'reasoning', from, setting, ...(before === undefined ? { silent: true } : {}) }, foreign];
}

// A rollout that was copied from another one contains the first record of both. The first one is its own.
function metaMoves({ source }: CodexReading, record: CodexRecord, from: From): readonly ImportedMove[] {
  const { stated } = source.shared;
  const { payload } = record;
  stated.provider ??= nameOf(payload['model_provider']) ?? 'openai';
  stated.isSubagent ??= objectOf(payload['source'])['subagent'] !== undefined;
  stated.bare ??= objectOf(from.record)['payload'] === undefined;
  return [{ type: 'foreign', from }];
}

/** Returns the unfinished answer with its counts, and the moves after it. */
function finish(reading: CodexReading, counts: CodexCounts | undefined): readonly ImportedMove[] {
  const { answer } = reading;
  if (answer === undefined) return [];
  reading.answer = undefined;
  return [finishedCodexAnswer(answer, counts), ...takeBehind(reading)];
}

function takeBehind(reading: CodexReading): readonly ImportedMove[] {
  const { behind } = reading;
  reading.behind = [];
  reading.held = 0;
  reading.answered = false;
  return behind;
}

/** Ends the unfinished answer. Counts that came without an answer become a call of their own. */
function settle(reading: CodexReading): readonly ImportedMove[] {
  const moves = finish(reading, undefined);
  const { ahead } = reading;
  reading.ahead = undefined;
  return ahead === undefined ? moves : [...moves, emptyAnswer(reading, ahead.counts, ahead.from)];
}

// Ends the unfinished answer although more records can follow. Its counts are still to come if it has none.
function cutOff(reading: CodexReading): readonly ImportedMove[] {
  const { answer } = reading;
  const moves = settle(reading);
  reading.owed ||= answer !== undefined && answer.usage === undefined;
  return moves;
}

function holdBack(reading: CodexReading, moves: readonly ImportedMove[]): readonly ImportedMove[] {
  if (reading.answer === undefined) return moves;
  reading.behind.push(...moves);
  return [];
}

/** Format of the rollouts of the Codex CLI, of all versions that write one JSON record per line. */
export const CODEX: Format = {
  name: 'codex',
  sightings: codexSightings,
  reader: codexReader,
};
