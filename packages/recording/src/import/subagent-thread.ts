// Finds the session that started a subagent of an agent that keeps each subagent in a transcript of its own. The first
// record of a subagent of Codex names the thread of its parent. The row of a session of OpenCode names its parent. For
// the Gemini CLI, the folder of the file names the session of the parent.

import type { Log, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { callId, digest } from '@tidemark/log';
import { resolve } from 'node:path';
import { listOf, nameOf, objectOf } from './file/fields.ts';
import type { FormatName } from './format/format.ts';
import type { SpawnedThread } from './outline/outline.ts';
import { openCodeKind } from './opencode/opencode-row.ts';
import { importedSessionId } from './session-names.ts';

const GEMINI_SUBAGENT = /[/\\]chats[/\\]([^/\\]+)[/\\]([^/\\]+)\.jsonl?$/;

/**
 * Returns the thread of a subagent of the Gemini CLI, which keeps the session in `chats/<parent>/<own>.jsonl`. Returns
 * `undefined` for another path. The path does not state the nesting depth, which
 * follows from the depth of the parent.
 */
export function threadOfPath(path: string): SpawnedThread | undefined {
  const [, parent, own] = GEMINI_SUBAGENT.exec(resolve(path)) ?? [];
  return parent === undefined || own === undefined ? undefined : { own, parent, depth: 1 };
}

/**
 * Returns the session that started the subagent: the imported session of the parent thread. Returns `undefined` if it
 * contains no call that started the subagent.
 */
export async function findThreadStarter(
  store: Log,
  { own, parent, depth }: SpawnedThread,
  format: FormatName,
): Promise<StartedBy | undefined> {
  // The name of a session begins with characters of its thread id.
  const seed = { format, digest: digest('0'.repeat(64)), part: { kind: 'main' } } as const;
  const [family = ''] = importedSessionId({ ...seed, own: parent.replace(/^ses_/, '') }).split(/-(?=[0-9a-f]{8}$)/);
  const { sessions } = await store.sessions();
  for (const { session, root } of sessions) {
    if (session !== root || !session.startsWith(`${family}-`)) continue;
    const call = await startingCall(store, session, own, parent);
    if (call !== undefined)
      return { session, call: callId(call), depth: Math.max(depth, 1 + (await depthOf(store, session))) };
  }
  return undefined;
}

/** Returns the nesting depth of a session: 0 if no other session started it. */
async function depthOf(store: Log, session: SessionId): Promise<number> {
  for await (const { kind, data } of store.read(session, 0, 1))
    if (kind === 'session.created') return data.startedBy?.depth ?? 0;
  return 0;
}

async function startingCall(store: Log, session: SessionId, own: string, parent: string): Promise<string | undefined> {
  let thread: string | undefined;
  for await (const record of store.read(session)) {
    thread ??= threadIn(record);
    if (thread !== undefined && thread !== parent) return undefined;
    const call = callIn(record, own);
    if (call !== undefined) return call;
  }
  return undefined;
}

function threadIn({ kind, data }: Recorded): string | undefined {
  if (kind !== 'foreign.recorded') return undefined;
  const line = objectOf(data.record);
  if (data.format === 'gemini-cli') return nameOf(line['sessionId']);
  if (data.format === 'opencode') return openCodeKind(line) === 'session' ? nameOf(line['id']) : undefined;
  if (data.format !== 'codex') return undefined;
  return line['type'] === 'session_meta' ? nameOf(objectOf(line['payload'])['id']) : undefined;
}

// Newer versions of Codex record the start of a subagent as an item with the id of the call. In older versions, and in
// OpenCode, the result of the call contains the thread. In the Gemini CLI the call contains it.
function callIn({ kind, data }: Recorded, own: string): string | undefined {
  if (kind === 'tool.returned') {
    const isNamed = data.parts.some((part) => part.type === 'text' && isNamedIn(part.text, own));
    return isNamed ? data.call : undefined;
  }
  if (kind !== 'foreign.recorded') return undefined;
  const call = listOf(objectOf(data.record)['toolCalls'])
    .map(objectOf)
    .find(({ agentId }) => agentId === own);
  if (call !== undefined) return nameOf(call['id']);
  const item = objectOf(objectOf(objectOf(data.record)['payload'])['item']);
  const isStart = item['agent_thread_id'] === own && item['kind'] === 'started';
  return isStart ? nameOf(item['id']) : undefined;
}

function isNamedIn(text: string, thread: string): boolean {
  return thread.startsWith('ses_') ? text.includes(thread) : text.includes(`"${thread}"`);
}
