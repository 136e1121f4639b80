// Writes the first record of a session, so that lists and searches find it.

import { sessionId, timestamp } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';

/** Fields of a session that a list shows. */
interface StoredSession {
  readonly id: string;
  readonly title?: string;
  readonly workspace?: string;
}

/** Creates a session with a single record in a home. */
export async function storeSession(
  home: string,
  { id, title, workspace = '/work/shop' }: StoredSession,
): Promise<void> {
  const session = sessionId(id);
  const writer = await openNdjsonStore({ home }).create(session);
  const data = { id: session, root: session, workspace, ...(title !== undefined && { title }) };
  await writer.append([{ kind: 'session.created', data, at: timestamp('2026-11-20T09:30:00.000Z') }], 0);
  await writer.close();
}
