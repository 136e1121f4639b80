// Reads a user row of Claude Code. Such a row contains tool results, a prompt, a note of Claude Code, or the mark of an
// interruption.

import type { ContentPart, Json } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { contentParts, plainText } from '../format/format.ts';
import type { JsonObject } from '../file/fields.ts';
import { countOf, isList, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { Keep } from '../format/format.ts';
import type { From, ImportedMove, PromptMove } from '../format/move.ts';

/** Start of the text that Claude Code writes as a user message when the user interrupts it. */
const STOPPED = '[Request interrupted by user';

/**
 * Text that Claude Code writes as a user message when a background task has ended. It is in a separate row, or in a
 * queued prompt.
 */
const TASK = /^\s*<task-notification>[^]*<\/task-notification>/;

/** True if the text of a user row is a notification that a background task has ended. */
export function isTaskNotification(content: Json | undefined): boolean {
  const text = textOf(content) ?? textOf(objectOf(listOf(content)[0])['text']);
  return text !== undefined && TASK.test(text);
}

/** Returns the move for the text of a user: a notification if the text is about a background task, else a prompt. */
export function promptMove(
  from: From,
  parts: readonly ContentPart[],
  about: Omit<PromptMove, 'type' | 'from' | 'parts' | 'presenter'>,
): ImportedMove {
  const body = plainText(parts);
  return body !== undefined && TASK.test(body)
    ? { type: 'notification', from, source: 'claude-code', provenance: 'background task', body }
    : { type: 'prompt', from, parts, presenter: 'claude-code', ...about };
}

/** Content of a user row: its tool results, and its other content. */
export interface UserContent {
  readonly results: readonly JsonObject[];
  /**
   * Content that is not a tool result: a text or a list of blocks. `undefined` if the row contains only tool results.
   */
  readonly said: Json | undefined;
}

/** Separates the tool results of a row from its other content. */
export function userContent(row: JsonObject): UserContent {
  const content = objectOf(row['message'])['content'];
  if (!isList(content)) return { results: [], said: content };
  const blocks = content.map(objectOf);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const others = content.filter((_, index) => blocks[index]?.['type'] !== 'tool_result');
  return { results, said: others.length === 0 ? undefined : others };
}

/** Returns the moves of a user row. The row must not be the summary of a compaction. */
export function userMoves(row: JsonObject, from: From, keep: Keep, isSubagent: boolean): readonly ImportedMove[] {
  if (row['isVisibleInTranscriptOnly'] === true) return [{ type: 'foreign', from }];
  const { results, said } = userContent(row);
  if (results.length === 0 && said === undefined)
    return [{ type: 'foreign', from, reason: 'a user row without content' }];
  const duration = countOf(objectOf(row['toolUseResult'])['durationMs']);
  const moves = results.map((block) => resultMove(block, from, keep, results.length === 1 ? duration : undefined));
  return said === undefined
    ? moves
    : [...moves, userTextMove(row, contentParts(said, keep), from, isSubagent, moves.length > 0)];
}

function resultMove(block: JsonObject, from: From, keep: Keep, durationMs: number | undefined): ImportedMove {
  const call = nameOf(block['tool_use_id']);
  if (call === undefined) return { type: 'foreign', from, reason: 'a tool result that names no call' };
  const parts = contentParts(block['content'], keep);
  const timed = durationMs === undefined ? {} : { durationMs };
  return { type: 'result', from, call: callId(call), error: block['is_error'] === true, parts, ...timed };
}

function userTextMove(
  row: JsonObject,
  parts: readonly ContentPart[],
  from: From,
  isSubagent: boolean,
  amongResults: boolean,
): ImportedMove {
  const body = plainText(parts);
  if (row['isMeta'] === true && body !== undefined) return { type: 'note', from, source: 'claude-code', body };
  return promptMove(from, parts, {
    trigger: isSubagent ? 'subagent' : 'user',
    ...(amongResults ? { steer: true } : {}),
    ...(body?.startsWith(STOPPED) === true ? { interrupts: true } : {}),
  });
}
