// Creates a session in which every text is HTML and one text contains a secret.

import type { Event, Log } from '@tidemark/log';
import { callId, digest, money, position, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';

export const ID = sessionId('hostile');
/** Time of all records. */
export const at = timestamp('2026-11-20T12:00:00.000Z');
/** Bytes of the picture in the session. */
export const PIXEL: Buffer = Buffer.from('not quite a picture');
/** Secret that an answer contains. */
export const SECRET = 'sk-secret-value-1234567890';
/** Text that appears in every field of the session. */
export const HOSTILE = '</pre></details><script>alert(1)</script><img src="https://evil.example/x">\u001b[2J\u202e';

/** Creates a store with one session that contains these events. */
export async function recorded(events: (store: Log) => Promise<readonly Event[]>): Promise<Log> {
  const store = createMemoryStore();
  const writer = await store.create(ID);
  const created: Event = {
    kind: 'session.created',
    at,
    data: { id: ID, root: ID, workspace: `/w/${HOSTILE}`, title: HOSTILE },
  };
  await writer.append([created, ...(await events(store))], 0);
  await writer.close();
  return store;
}

export const text = (words: string): { readonly type: 'text'; readonly text: string } => ({
  type: 'text',
  text: words,
});

/** Stores the picture of the hostile session as an artifact and returns the session's events. */
export async function hostile(store: Log): Promise<readonly Event[]> {
  const { digest: artifact } = await store.artifacts.put(PIXEL);
  const image = { type: 'image', artifact, mediaType: 'image/png', bytes: PIXEL.length } as const;
  const gone = { ...image, artifact: digest('0'.repeat(64)) };
  const svg = { ...image, mediaType: 'image/svg+xml' };
  const call = callId('c1');
  const calls = { type: 'call', call, name: HOSTILE, arguments: JSON.stringify({ path: HOSTILE }) } as const;
  const answer = { step: 0, stream: 'main', provider: 'p', model: HOSTILE, stop: 'calls', truncated: 'no' } as const;
  const usage = { fresh: 1, read: 2_000, writes: [{ ttl: '5m', tokens: 30 }], answer: 4 } as const;
  const parts = [{ type: 'reasoning', text: `hm ${HOSTILE}` }, text(`${HOSTILE} ${SECRET}`), calls] as const;
  const made = { strategy: 'deterministic', trigger: 'manual', limitations: [`It is lossy. ${HOSTILE}`] } as const;
  const range = { from: position(0), to: position(2) };
  return [
    { kind: 'prompt.given', at, data: { parts: [text(`look ${HOSTILE}`), image, gone, svg], presenter: 'test' } },
    { kind: 'answer.received', at, data: { ...answer, parts, usage, cost: money('0.0123') } },
    { kind: 'tool.failed', at, data: { call, parts: [text(`result ${HOSTILE}`), image], exit: 2, durationMs: 1_500 } },
    { kind: 'history.compacted', at, data: { range, checkpoint: `So far ${HOSTILE}`, ...made } },
    { kind: 'context.noted', at, data: { source: HOSTILE, revision: 'r', cause: 'initial', body: HOSTILE } },
    { kind: 'answer.received', at, data: { ...answer, step: 1, parts: [calls, text('')], usage: {} } },
  ];
}
