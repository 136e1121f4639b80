// Finds the session that started a subagent of the Codex CLI or of the Gemini CLI. Each thread has its own file. For
// Codex, the first record of a subagent names the thread of its parent. For Gemini, the folder of the file names it.

import type { Log, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { callId, digest } from '@tidemark/log';
import { resolve } from 'node:path';
import { listOf, nameOf, objectOf } from './file/fields.ts';
import type { FormatName } from './format/format.ts';
import type { SpawnedThread } from './outline/outline.ts';
import { importedSessionId } from './session-names.ts';

const GEMINI_SUBAGENT = /[/\\]chats[/\\]([^/\\]+)[/\\]([^/\\]+)\.jsonl?$/;

/**
 * Returns the thread of a subagent of the Gemini CLI, which keeps the session in `chats/<parent>/<own>.jsonl`. Returns
 * `undefined` for another path. The path does not state the nesting depth, so it counts as 1.
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
  const [family = ''] = importedSessionId({ ...SEED, format, own: parent }).split(/-(?=[0-9a-f]{8}$)/);
  const { sessions } = await store.sessions();
  for (const { session, root } of sessions) {
    if (session !== root || !session.startsWith(`${family}-`)) continue;
    const call = await startingCall(store, session, own, parent);
    if (call !== undefined) return { session, call: callId(call), depth };
  }
  return undefined;
}

const SEED = { digest: digest('0'.repeat(64)), part: { kind: 'main' } } as const;

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
  if (data.format !== 'codex') return undefined;
  return line['type'] === 'session_meta' ? nameOf(objectOf(line['payload'])['id']) : undefined;
}

// Newer versions of Codex record the start of a subagent as an item with the id of the call. In older versions the
// result of the call contains the thread. In Gemini the call contains the thread.
function callIn({ kind, data }: Recorded, own: string): string | undefined {
  if (kind === 'tool.returned') {
    const isNamed = data.parts.some((part) => part.type === 'text' && part.text.includes(`"${own}"`));
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
