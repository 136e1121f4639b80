// Reads the events of one branch of a session of the Copilot CLI. The token counts of a call come before the messages of
// its answer, and name the same id of the provider. Versions without such counts state only the output tokens.

import { defined } from '@tidemark/core';
import type { Timestamp } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { BranchReader, BranchSource, Format } from '../format/format.ts';
import { failureOf } from '../format/failure.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { CopilotAnswer } from './copilot-answer.ts';
import { copilotParts, copilotProvider, finishedCopilotAnswer } from './copilot-answer.ts';
import type { CopilotEvent } from './copilot-event.ts';
import { copilotEvent } from './copilot-event.ts';
import type { CopilotContents } from './copilot-input.ts';
import {
  compactionCounts,
  compactionMove,
  keepAsset,
  notificationMove,
  resultMove,
  skillMoves,
  userMoves,
} from './copilot-input.ts';
import { copilotSightings, isCompaction } from './copilot-sighting.ts';

interface CopilotReading {
  readonly source: BranchSource;
  readonly contents: CopilotContents;
  /** Answer of which more messages are to come. */
  answer: CopilotAnswer | undefined;
  /** Moves after the unfinished answer. */
  behind: ImportedMove[];
  /** Token counts whose answer is still to come. */
  ahead: { readonly counts: JsonObject; readonly from: From } | undefined;
  /** Latest token counts. They state the provider. */
  latest: JsonObject;
  model: string;
  reasoning: string | undefined;
  /** Time of the start of the current request. */
  startedAt: Timestamp | undefined;
  /** True if an input came after the last answer, so that a request can be running. */
  asked: boolean;
  /** Task of the subagent. Absent after the first input, and for the main agent. */
  task: string | undefined;
}

function copilotReader(source: BranchSource): BranchReader {
  const reading: CopilotReading = {
    source,
    contents: { keep: source.keep, images: new Map(), skills: new Map() },
    answer: undefined,
    behind: [],
    ahead: undefined,
    latest: {},
    model: 'unknown',
    reasoning: undefined,
    startedAt: undefined,
    asked: false,
    task: undefined,
  };
  return {
    read: (raw, from) => readEvent(reading, copilotEvent(raw), from),
    pass: (move) => holdBack(reading, [move]),
    release: () => settle(reading),
    task: () => reading.task,
  };
}

function readEvent(reading: CopilotReading, event: CopilotEvent, from: From): readonly ImportedMove[] {
  const { contents } = reading;
  switch (event.type) {
    case 'assistant.message':
      return takeMessage(reading, event, from);
    case 'session.usage_record':
      return takeCounts(reading, objectOf(event.data['usage']), from);
    case 'user.message':
      return input(reading, from, userMoves(event, from, contents));
    case 'system.notification':
      return input(reading, from, [notificationMove(event, from)]);
    case 'tool.execution_complete':
      return takeResult(reading, event, from);
    case 'session.compaction_complete':
      return compact(reading, event, from);
    case 'session.context_cleared':
      return [
        ...settle(reading),
        { type: 'compaction', from, summary: textOf(event.data['initialMessage']) ?? '', trigger: 'cleared' },
      ];
    case 'skill.context_delivered':
    case 'skill.context_delivered_ref':
      return holdBack(reading, skillMoves(event, from, contents));
    case 'session.binary_asset':
      return keepAsset(event, contents) ? [] : holdBack(reading, [{ type: 'foreign', from }]);
    default:
      return takeOther(reading, event, from);
  }
}

/** Reads an event that is kept unchanged. Some of these events end an answer or a turn, or state a setting. */
function takeOther(reading: CopilotReading, event: CopilotEvent, from: From): readonly ImportedMove[] {
  const foreign: ImportedMove = { type: 'foreign', from };
  const { data } = event;
  switch (event.type) {
    case 'session.start':
    case 'session.resume':
    case 'session.model_change':
    case 'subagent.configured':
      return [...settle(reading), ...settingMoves(reading, data, from), foreign];
    case 'assistant.turn_start':
      reading.startedAt = from.at;
      return [...settle(reading), ...taskMoves(reading, from), foreign];
    case 'assistant.turn_end':
    case 'session.compaction_start':
      return [...settle(reading), foreign];
    case 'session.shutdown':
    case 'session.task_complete':
    case 'subagent.completed':
    case 'subagent.failed':
      return [...settle(reading), foreign, { type: 'end', from }];
    case 'session.error':
      return fail(reading, data, from);
    case 'abort':
      return abort(reading, from);
    default:
      learn(reading, event);
      return holdBack(reading, [foreign]);
  }
}

/** Remembers the tasks of subagents and the texts of skills, to which later events refer. */
function learn(reading: CopilotReading, { type, data }: CopilotEvent): void {
  const { tasks } = reading.source.shared;
  const call = nameOf(data['toolCallId']) ?? '';
  const task = nameOf(objectOf(data['arguments'])['prompt']);
  if (type === 'tool.execution_start' && data['toolName'] === 'task' && task !== undefined) tasks.set(call, task);
  if (type === 'subagent.started' && tasks.has(call)) {
    reading.task = tasks.get(call);
    tasks.delete(call);
  }
  if (type === 'skill.invoked') reading.contents.skills.set(nameOf(data['name']) ?? '', textOf(data['content']) ?? '');
}

/**
 * Adds a message to the answer to which it belongs, or begins the next answer. An answer with reasoning between its
 * texts is written as several messages.
 */
function takeMessage(reading: CopilotReading, event: CopilotEvent, from: From): readonly ImportedMove[] {
  const { data } = event;
  const response = nameOf(data['apiCallId']);
  const last = (countOf(data['chunkIndex']) ?? 0) + 1 >= (countOf(data['chunkCount']) ?? 1);
  const before: ImportedMove[] = [];
  if (reading.answer === undefined || response === undefined || reading.answer.response !== response) {
    before.push(...finish(reading), ...taskMoves(reading, from));
    const counts = countsFor(reading, response);
    if (counts === undefined) before.push(...unanswered(reading));
    reading.answer = {
      from,
      startedAt: reading.startedAt,
      model: nameOf(data['model']) ?? reading.model,
      response,
      counts,
      output: countOf(data['outputTokens']),
      parts: [],
    };
    reading.asked = false;
    reading.startedAt = undefined;
  }
  for (const part of copilotParts(event)) reading.answer.parts.push(part);
  return last ? [...before, ...finish(reading)] : before;
}

// Returns the counts that came before the answer. Calls that the client itself adds have no counts.
function countsFor(reading: CopilotReading, response: string | undefined): JsonObject | undefined {
  const { ahead } = reading;
  if (ahead === undefined || nameOf(ahead.counts['apiCallId']) !== response) return undefined;
  reading.ahead = undefined;
  return ahead.counts;
}

function takeCounts(reading: CopilotReading, counts: JsonObject, from: From): readonly ImportedMove[] {
  const moves = [...settle(reading), ...settingMoves(reading, counts, from)];
  reading.ahead = { counts, from };
  reading.latest = counts;
  return moves;
}

function takeResult(reading: CopilotReading, event: CopilotEvent, from: From): readonly ImportedMove[] {
  reading.asked = true;
  return holdBack(reading, [resultMove(event, from, reading.contents)]);
}

function input(reading: CopilotReading, from: From, moves: readonly ImportedMove[]): readonly ImportedMove[] {
  const settled = settle(reading);
  reading.asked = true;
  reading.task = undefined;
  reading.startedAt ??= from.at;
  return [...settled, ...moves];
}

/** Returns the prompt of a subagent in versions that record it only in the call that started the subagent. */
function taskMoves(reading: CopilotReading, from: From): readonly ImportedMove[] {
  const { task } = reading;
  reading.task = undefined;
  if (task === undefined) return [];
  return [{ type: 'prompt', from, parts: [{ type: 'text', text: task }], presenter: 'copilot', trigger: 'subagent' }];
}

// The model and the effort are stated at the start, at each change, and in newer versions with each call.
function settingMoves(reading: CopilotReading, data: JsonObject, from: From): readonly ImportedMove[] {
  const { newModel, selectedModel, model, reasoningEffort: effort } = data;
  reading.model = nameOf(newModel) ?? nameOf(selectedModel) ?? nameOf(model) ?? reading.model;
  const before = reading.reasoning;
  const setting = nameOf(effort) ?? (effort === null ? 'default' : (before ?? 'default'));
  reading.reasoning = setting;
  if (before === setting) return [];
  return [
    { type: 'reasoning', from, setting, ...(before === undefined || before === 'default' ? { silent: true } : {}) },
  ];
}

function compact(reading: CopilotReading, event: CopilotEvent, from: From): readonly ImportedMove[] {
  const counts = compactionCounts(event);
  const { isByok, modelProvider, providerType, apiEndpoint } = reading.latest;
  const moves: readonly ImportedMove[] =
    counts === undefined
      ? []
      : [emptyAnswer(reading, { ...defined({ isByok, modelProvider, providerType, apiEndpoint }), ...counts }, from)];
  const end: ImportedMove = isCompaction(event) ? compactionMove(event, from) : { type: 'foreign', from };
  return [...settle(reading), ...moves, end];
}

// Returns a call whose answer is not in the file: the question for a summary, or an answer that was lost.
function emptyAnswer({ model }: CopilotReading, counts: JsonObject, from: From): ImportedMove {
  const response = nameOf(counts['apiCallId']);
  const answered = { from, startedAt: undefined, response, counts, output: undefined, parts: [] };
  return finishedCopilotAnswer({ ...answered, model: nameOf(counts['model']) ?? model });
}

function fail(reading: CopilotReading, error: JsonObject, from: From): readonly ImportedMove[] {
  const settled = settle(reading);
  const foreign: ImportedMove = { type: 'foreign', from };
  if (!reading.asked) return [...settled, foreign];
  reading.asked = false;
  const message = textOf(error['message']) ?? '';
  const word = [countOf(error['statusCode']), nameOf(error['errorType']), nameOf(error['errorCode']), message].join(
    ' ',
  );
  const started = defined({ startedAt: reading.startedAt });
  return [...settled, { type: 'failed', from, ...failureOf(word), message, ...started }, foreign];
}

/** Ends a turn that the user interrupted. The file does not contain the part of an answer that was cut off. */
function abort(reading: CopilotReading, from: From): readonly ImportedMove[] {
  const settled = settle(reading);
  const { asked, latest, model } = reading;
  reading.asked = false;
  const cut: ImportedMove = {
    type: 'interrupted',
    from,
    by: 'user',
    provider: copilotProvider(latest),
    model,
    parts: [],
  };
  return [...settled, ...(asked ? [cut] : []), { type: 'foreign', from }, { type: 'end', from }];
}

/** Returns the unfinished answer and the moves after it. */
function finish(reading: CopilotReading): readonly ImportedMove[] {
  const { answer, behind } = reading;
  if (answer === undefined) return [];
  reading.answer = undefined;
  reading.behind = [];
  return [finishedCopilotAnswer(answer), ...behind];
}

/** Ends the unfinished answer. Counts whose answer did not come become a call without parts. */
function settle(reading: CopilotReading): readonly ImportedMove[] {
  return [...finish(reading), ...unanswered(reading)];
}

function unanswered(reading: CopilotReading): readonly ImportedMove[] {
  const { ahead } = reading;
  reading.ahead = undefined;
  return ahead === undefined ? [] : [emptyAnswer(reading, ahead.counts, ahead.from)];
}

function holdBack(reading: CopilotReading, moves: readonly ImportedMove[]): readonly ImportedMove[] {
  if (reading.answer === undefined) return moves;
  reading.behind.push(...moves);
  return [];
}

/** Format of the sessions of the Copilot CLI. */
export const COPILOT: Format = {
  name: 'copilot',
  sightings: copilotSightings,
  reader: copilotReader,
};
