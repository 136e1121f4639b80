// Reads one event of the Copilot CLI: a type, its data, an id, a time, and the subagent to which it belongs. Source: the
// file `schemas/session-events.schema.json` that version 1.0.102 ships.

import { rawMember } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { isObject, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';

/** Event of a session. */
export interface CopilotEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: JsonObject;
  /** Subagent to which the event belongs. Absent for an event of the main agent. */
  readonly agent: string | undefined;
  /** Returns the raw JSON text of the data. */
  readonly text: () => string;
}

/** Returns the event of a record. */
export function copilotEvent(raw: RawRecord): CopilotEvent {
  const line = objectOf(raw.value);
  const type = nameOf(line['type']) ?? '';
  const data = objectOf(line['data']);
  return {
    type,
    id: nameOf(line['id']),
    data,
    agent: nameOf(line['agentId']) ?? callOfAgent(type, data),
    text: () => rawMember(raw.text, 'data') ?? '{}',
  };
}

const ABOUT_AGENT: ReadonlySet<string> = new Set(['subagent.started', 'subagent.completed', 'subagent.failed']);

// Versions before 1.0.60 name a subagent by the call that started it.
function callOfAgent(type: string, data: JsonObject): string | undefined {
  return nameOf(data['parentToolCallId']) ?? (ABOUT_AGENT.has(type) ? nameOf(data['toolCallId']) : undefined);
}

const FAMILIES = /^(?:session|user|assistant|tool|system|subagent|skill|hook|permission|model)\.\w+$/;

/** True if a record has the form of an event of the Copilot CLI. */
export function isCopilotEvent(line: JsonObject): boolean {
  const { type, id, timestamp, data } = line;
  if (typeof type !== 'string' || !FAMILIES.test(type)) return false;
  return typeof id === 'string' && typeof timestamp === 'string' && isObject(data) && 'parentId' in line;
}

/** Events that add to the history that a model sees. */
export const HISTORY: ReadonlySet<string> = new Set([
  'user.message',
  'assistant.message',
  'tool.execution_complete',
  'system.notification',
  'session.context_cleared',
]);
