// Reads what the first record of a rollout of the Codex CLI states about a subagent, and finds the session that started
// the subagent. Each thread of Codex has its own file. The first record of a subagent names the thread of its parent.

import { defined } from '@tidemark/core';
import type { Log, Recorded, SessionId, StartedBy } from '@tidemark/log';
import { callId, digest } from '@tidemark/log';
import { codexRecord } from './codex/codex-record.ts';
import { countOf, nameOf, objectOf } from './file/fields.ts';
import { readLines } from './file/read-lines.ts';
import { readRecords } from './file/read-records.ts';
import type { OpenBytes } from './recognise.ts';
import { importedSessionId } from './session-names.ts';
import type { SubagentFile, SubagentThread } from './subagent-file.ts';

/** Number of lines, and of bytes, that are searched for the first record. */
const MOST_LINES = 20;
const MOST_BYTES = 8 * 1024 * 1024;

/** Reads the facts about a subagent of Codex. Returns `undefined` if the file is not the rollout of a subagent. */
export async function readSubagentThread(open: OpenBytes): Promise<SubagentFile | undefined> {
  for await (const lines of readLines(beginning(open()))) {
    for (const line of lines) {
      const [first] = 'text' in line ? readRecords(line.text).records : [];
      if (first !== undefined) return subagentIn(codexRecord(first));
      if (line.number >= MOST_LINES) return undefined;
    }
  }
  return undefined;
}

async function* beginning(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return;
  }
}

function subagentIn({ kind, payload }: ReturnType<typeof codexRecord>): SubagentFile | undefined {
  const { thread_spawn: spawned } = objectOf(objectOf(payload['source'])['subagent']);
  const facts = objectOf(spawned);
  const own = nameOf(payload['id']);
  const parent = nameOf(facts['parent_thread_id']);
  if (kind !== 'session_meta' || own === undefined || parent === undefined) return undefined;
  const path = nameOf(facts['agent_path']) ?? nameOf(facts['agent_nickname']);
  return {
    ...defined({ title: path?.split('/').at(-1) }),
    thread: { own, parent },
    depth: Math.max(1, countOf(facts['depth']) ?? 1),
    main: `the rollout of thread ${parent}`,
  };
}

/**
 * Returns the session that started the subagent: the imported session of the parent thread. Returns `undefined` if it
 * contains no call that started the subagent.
 */
export async function findThreadStarter(
  store: Log,
  { own, parent }: SubagentThread,
  depth: number,
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
