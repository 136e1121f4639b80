// Finds the session that started a subagent of the Codex CLI. Each thread of Codex has its own file. The first record of
// a subagent names the thread of its parent.

import type { Log, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { callId, digest } from '@tidemark/log';
import { nameOf, objectOf } from './file/fields.ts';
import type { SpawnedThread } from './outline/outline.ts';
import { importedSessionId } from './session-names.ts';

/**
 * Returns the session that started the subagent: the imported session of the parent thread. Returns `undefined` if it
 * contains no call that started the subagent.
 */
export async function findThreadStarter(
  store: Log,
  { own, parent, depth }: SpawnedThread,
): Promise<StartedBy | undefined> {
  // The name of a session begins with characters of its thread id.
  const [family = ''] = importedSessionId({ ...SEED, own: parent }).split(/-(?=[0-9a-f]{8}$)/);
  const { sessions } = await store.sessions();
  for (const { session, root } of sessions) {
    if (session !== root || !session.startsWith(`${family}-`)) continue;
    const call = await startingCall(store, session, own, parent);
    if (call !== undefined) return { session, call: callId(call), depth };
  }
  return undefined;
}

const SEED = { format: 'codex', digest: digest('0'.repeat(64)), part: { kind: 'main' } } as const;

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
  if (kind !== 'foreign.recorded' || data.format !== 'codex') return undefined;
  const line = objectOf(data.record);
  return line['type'] === 'session_meta' ? nameOf(objectOf(line['payload'])['id']) : undefined;
}

// Newer versions record the start of a subagent as an item with the id of the call. In older versions the result of the
// call contains the thread.
function callIn({ kind, data }: Recorded, own: string): string | undefined {
  if (kind === 'tool.returned') {
    const isNamed = data.parts.some((part) => part.type === 'text' && part.text.includes(`"${own}"`));
    return isNamed ? data.call : undefined;
  }
  if (kind !== 'foreign.recorded') return undefined;
  const item = objectOf(objectOf(objectOf(data.record)['payload'])['item']);
  const isStart = item['agent_thread_id'] === own && item['kind'] === 'started';
  return isStart ? nameOf(item['id']) : undefined;
}
