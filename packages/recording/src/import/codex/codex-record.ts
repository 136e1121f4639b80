// Reads one record of a rollout of the Codex CLI. In version 0.20 a line is the item itself, without a time. In version
// 0.36 and later a line has a type and a payload. Source: `codex-rs/rollout` and `codex-rs/protocol` of openai/codex.

import { rawMember } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { isList, isObject, listOf, nameOf, objectOf, textOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';

/** Record of a rollout. `kind` is the type of the line, and `type` the type of its payload. */
export interface CodexRecord {
  readonly kind: string;
  readonly type: string;
  readonly payload: JsonObject;
  /** Returns the raw JSON text of the payload. */
  readonly text: () => string;
}

/** Returns a record in the same form for all versions of the format. */
export function codexRecord(raw: RawRecord): CodexRecord {
  const line = objectOf(raw.value);
  const kind = nameOf(line['type']);
  if (kind !== undefined && isObject(line['payload'])) {
    const { payload } = line;
    return { kind, type: nameOf(payload['type']) ?? '', payload, text: () => rawMember(raw.text, 'payload') ?? '{}' };
  }
  const bare = { payload: line, text: () => raw.text };
  if (kind !== undefined) return { kind: 'response_item', type: kind, ...bare };
  return { kind: isBareHeader(line) ? 'session_meta' : (nameOf(line['record_type']) ?? ''), type: '', ...bare };
}

const KINDS: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'token_usage_record',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'realtime_item',
]);

const BARE_ITEMS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'function_call_output']);

/** True if a record has the form of a record of Codex. */
export function isCodexRecord(line: JsonObject): boolean {
  if (KINDS.has(line['type'])) return isObject(line['payload']) && typeof line['timestamp'] === 'string';
  if (line['type'] === undefined) return isBareHeader(line) || line['record_type'] === 'state';
  return BARE_ITEMS.has(line['type']) && isBareItem(line);
}

function isBareHeader(line: JsonObject): boolean {
  const named = typeof line['id'] === 'string' && typeof line['timestamp'] === 'string';
  return named && line['type'] === undefined && 'instructions' in line;
}

function isBareItem(line: JsonObject): boolean {
  if (line['type'] === 'message') return typeof line['role'] === 'string' && isList(line['content']);
  return typeof line['call_id'] === 'string' || isList(line['summary']);
}

/** Returns the text of a list of content parts. Parts without a text are left out. */
export function contentText(content: JsonObject['content']): string {
  return listOf(content)
    .map((part) => textOf(objectOf(part)['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** Texts that the client adds as messages of the user. They begin with one of these words. */
const ADDED =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|turn_aborted|subagent_notification|skill|permissions instructions|model_switch|collaboration_mode|personality_spec|recommended_plugins|goal_context|hook_prompt|INSTRUCTIONS)\b|# AGENTS\.md instructions)/i;

/**
 * True if an item is a prompt. Messages of the role `user` are also the context that the client adds. New versions name
 * the kind of each part. In older versions the added context begins with a known word.
 */
export function isPrompt({ kind, type, payload }: CodexRecord): boolean {
  if (kind !== 'response_item' || type !== 'message' || payload['role'] !== 'user') return false;
  const kinds = listOf(objectOf(payload['internal_chat_message_metadata_passthrough'])['content_item_kinds']);
  if (kinds.length > 0 && !kinds.includes('unknown'))
    return kinds.some((name) => textOf(name)?.startsWith('user.') === true);
  return !ADDED.test(contentText(payload['content']));
}

/** Items that contain the result of a call. */
export const RESULTS: ReadonlySet<string> = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'tool_search_output',
]);

/** Items that a model writes, other than messages. */
export const WRITTEN: ReadonlySet<string> = new Set([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
  'image_generation_call',
]);

/** True if a model wrote the item. */
export function isWritten({ kind, type, payload }: CodexRecord): boolean {
  if (kind !== 'response_item') return false;
  return WRITTEN.has(type) || (type === 'message' && payload['role'] === 'assistant');
}
