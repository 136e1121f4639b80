// Reads the records of one branch of a session file of the Gemini CLI. The client writes an answer first without its
// calls, and again with the calls and their results after these ended. So an answer is held until the next message.

import { defined } from '@tidemark/core';
import type { Timestamp } from '@tidemark/log';
import { hashText, momentOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { BranchReader, BranchSource, Format } from '../format/format.ts';
import { failureOf } from '../format/failure.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { geminiAnswer, lateCalls } from './gemini-answer.ts';
import { geminiInput, geminiResults, responseMove } from './gemini-input.ts';
import type { GeminiMessage, GeminiRecord } from './gemini-record.ts';
import {
  compactedHistory,
  geminiRecord,
  historyKind,
  isAdded,
  partsOf,
  responsesOf,
  toolCallsOf,
} from './gemini-record.ts';
import { geminiSightings } from './gemini-sighting.ts';

interface GeminiReading {
  readonly source: BranchSource;
  /** Last answer, which a later record can replace. */
  answer:
    | { readonly message: GeminiMessage; readonly from: From; readonly startedAt: Timestamp | undefined }
    | undefined;
  /** Moves after the held answer. */
  behind: ImportedMove[];
  /** Id of the last answer that was delivered, and the ids of its calls that have no result yet. */
  delivered: { readonly id: string; readonly open: Set<string> } | undefined;
  /** True if an input came after the last answer, so that a request can be running. */
  asked: boolean;
  /** Time of the last input of the model. */
  inputAt: Timestamp | undefined;
}

function geminiReader(source: BranchSource): BranchReader {
  const reading: GeminiReading = {
    source,
    answer: undefined,
    behind: [],
    delivered: undefined,
    asked: false,
    inputAt: undefined,
  };
  return {
    read: (raw, from) => readRecord(reading, geminiRecord(raw), from),
    pass: (move) => holdBack(reading, move),
    release: () => deliver(reading),
  };
}

function readRecord(reading: GeminiReading, record: GeminiRecord, from: From): readonly ImportedMove[] {
  switch (record.kind) {
    case 'message':
      return takeMessage(reading, record.message, from);
    case 'rewind':
      return [...deliver(reading), { type: 'foreign', from }];
    case 'header':
      reading.source.shared.stated.isSubagent ??= record.fields['kind'] === 'subagent';
      return takeHistory(reading, record.messages, { ...from, at: momentOf(record.fields['startTime']) ?? from.at });
    case 'change':
      return takeHistory(reading, record.messages, { ...from, at: momentOf(record.fields['lastUpdated']) ?? from.at });
    case 'other':
      return holdBack(reading, { type: 'foreign', from, reason: 'a record without a known type' });
  }
}

/** Remembers the id of a message. Returns false if an earlier record has this id. */
function isNew({ source }: GeminiReading, message: GeminiMessage): boolean {
  const { stated } = source.shared;
  stated.seen ??= new Set();
  const key = hashText(message.id);
  if (stated.seen.has(key)) return false;
  stated.seen.add(key);
  if (message.type === 'user' || message.type === 'gemini') stated.spoken ||= !isAdded(message);
  return true;
}

function takeMessage(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  if (!isNew(reading, message)) return takeAgain(reading, message, from);
  const { stated } = reading.source.shared;
  switch (message.type) {
    case 'gemini': {
      const moves = deliver(reading);
      const model = nameOf(message.fields['model']);
      if (model !== undefined) stated.model = model;
      reading.answer = { message, from, startedAt: reading.inputAt };
      reading.asked = false;
      return moves;
    }
    case 'user':
      return [...deliver(reading), ...takeInput(reading, message, from)];
    case 'error':
      return [...deliver(reading), failed(reading, message, from)];
    default:
      return takeNotice(reading, message, from);
  }
}

/** Takes a message that replaces an earlier one. */
function takeAgain(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  const { answer, delivered, source } = reading;
  if (answer?.message.id === message.id) {
    reading.answer = { ...answer, message };
    return [];
  }
  const model = source.shared.stated.model ?? 'unknown';
  const isLast = answer === undefined && delivered?.id === message.id && delivered.open.size === 0;
  const late = isLast ? lateCalls(message, from, model) : undefined;
  if (late === undefined) return holdBack(reading, { type: 'foreign', from });
  // The answer was delivered before its calls ended, because the file ended there at an earlier import.
  return [late, ...finishCalls(reading, message, from)];
}

function takeInput(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  const { keep, shared } = reading.source;
  reading.inputAt = from.at;
  reading.asked = true;
  const responses = responsesOf(message);
  if (responses.length === 0) {
    const trigger = shared.stated.isSubagent === true ? 'subagent' : 'user';
    return [geminiInput(message, from, keep, trigger)];
  }
  const open = reading.delivered?.open ?? new Set();
  const results = responses.flatMap((response) => {
    const isOpen = open.delete(nameOf(response['id']) ?? '');
    return isOpen ? (responseMove(response, from, keep) ?? []) : [];
  });
  // The record repeats results that the answer contains. It is kept if it repeats one, or contains more than results.
  const isWhole = results.length === partsOf(message).length;
  return isWhole ? results : [...results, { type: 'foreign', from }];
}

// A notice is not part of the history, except for the bytes of a file that a tool read.
function takeNotice(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  const hasBytes = partsOf(message).some(({ inlineData }) => inlineData !== undefined);
  if (!hasBytes) return holdBack(reading, { type: 'foreign', from });
  return [...deliver(reading), geminiInput(message, from, reading.source.keep, 'user')];
}

function failed(reading: GeminiReading, message: GeminiMessage, from: From): ImportedMove {
  if (!reading.asked) return { type: 'foreign', from };
  reading.asked = false;
  const text = partsOf(message)
    .map((part) => textOf(part['text']) ?? '')
    .join('\n');
  return { type: 'failed', from, ...failureOf(text), message: text, ...defined({ startedAt: reading.inputAt }) };
}

/** Takes a record that can state the whole history. */
function takeHistory(
  reading: GeminiReading,
  messages: readonly GeminiMessage[] | undefined,
  from: From,
): readonly ImportedMove[] {
  const foreign: ImportedMove = { type: 'foreign', from };
  if (messages === undefined) return holdBack(reading, foreign);
  const { seen, spoken = false } = reading.source.shared.stated;
  switch (historyKind(messages, (id) => seen?.has(hashText(id)) === true, spoken)) {
    case 'known':
      for (const message of messages) isNew(reading, message);
      return holdBack(reading, foreign);
    case 'opening':
      return [foreign, ...messages.flatMap((message) => takeListed(reading, message, from)), ...deliver(reading)];
    case 'compaction': {
      for (const message of messages) isNew(reading, message);
      const { summary, kept } = compactedHistory(messages);
      const compaction: ImportedMove = { type: 'compaction', from, summary, trigger: 'recorded' };
      // The kept messages can be shorter than before, so the record is kept as well.
      return [...deliver(reading), compaction, ...(kept.length === 0 ? [] : [foreign])];
    }
  }
}

function takeListed(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  if (reading.source.shared.stated.seen?.has(hashText(message.id)) === true) return [];
  const at = momentOf(message.fields['timestamp']) ?? from.at;
  return takeMessage(reading, message, { ...from, at });
}

/** Returns the held answer with its results, and the moves after it. */
function deliver(reading: GeminiReading): readonly ImportedMove[] {
  const { answer, behind, source } = reading;
  if (answer === undefined) return [];
  reading.answer = undefined;
  reading.behind = [];
  const { message, from, startedAt } = answer;
  const model = source.shared.stated.model ?? 'unknown';
  return [geminiAnswer(message, from, model, startedAt), ...finishCalls(reading, message, from), ...behind];
}

function finishCalls(reading: GeminiReading, message: GeminiMessage, from: From): readonly ImportedMove[] {
  const results = geminiResults(message, from, reading.source.keep);
  const open = new Set(toolCallsOf(message).flatMap(({ id }) => nameOf(id) ?? []));
  for (const result of results) if (result.type === 'result') open.delete(result.call);
  reading.delivered = { id: message.id, open };
  if (results.length > 0) {
    reading.inputAt = results.at(-1)?.from.at;
    reading.asked = true;
  }
  // The id of a subagent is in no event, so the record is kept.
  const isStart = toolCallsOf(message).some(({ agentId }) => agentId !== undefined);
  return isStart ? [...results, { type: 'foreign', from: { ...from, record: objectOf(message.fields) } }] : results;
}

function holdBack(reading: GeminiReading, move: ImportedMove): readonly ImportedMove[] {
  if (reading.answer === undefined) return [move];
  reading.behind.push(move);
  return [];
}

/** Format of the session files of the Gemini CLI: one JSON record per line, or one JSON document. */
export const GEMINI_CLI: Format = {
  name: 'gemini-cli',
  sightings: geminiSightings,
  reader: geminiReader,
};
