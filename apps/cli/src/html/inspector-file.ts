// Makes a file with the page of the inspector and the data of a session, for a browser without a server.

import { openSessionProjection } from '@tidemark/analytics';
import { createRequestReader, sessionFile } from '@tidemark/inspector';
import type { MaskText } from '@tidemark/inspector';
import type { SessionId } from '@tidemark/log';
import { findModel } from '@tidemark/model';

import type { CommandContext } from '../frame/command.ts';
import { encoders } from '../reports/encoders.ts';
import { flatTree } from '../reports/session-tree.ts';
import { catalogDigest, readCatalog } from '../settings/own-catalog.ts';

/** Choices of a file. */
export interface InspectorFileOptions {
  /** True to include the forks and subagents of the session. */
  readonly tree: boolean;
  readonly mask: MaskText;
}

/** Returns the file as HTML. */
export async function inspectorFile(
  session: SessionId,
  { tree, mask }: InspectorFileOptions,
  { home, store, signal }: Pick<CommandContext, 'home' | 'store' | 'signal'>,
): Promise<string> {
  const log = await store();
  const catalog = await readCatalog(home);
  const sessions = tree ? await withDescendants(session, log) : [session];
  // The rows are kept in memory, so that an export writes nothing and does not wait for a running server.
  const projection = await openSessionProjection({
    log,
    rowOf: (provider, model) => findModel(catalog, model, provider),
    rules: catalogDigest(catalog),
    path: undefined,
  });
  try {
    await projection.update({ sessions, signal });
    return await sessionFile(sessions, { log, reader: createRequestReader(log, encoders), projection, mask });
  } finally {
    await projection.close();
  }
}

type ListedLog = Pick<Awaited<ReturnType<CommandContext['store']>>, 'sessions'>;

async function withDescendants(session: SessionId, log: ListedLog): Promise<readonly SessionId[]> {
  const rows = flatTree((await log.sessions({})).sessions);
  const first = rows.findIndex((row) => row.session.session === session);
  const depth = rows[first]?.depth ?? 0;
  const after = rows.slice(first + 1);
  const end = after.findIndex((row) => row.depth <= depth);
  return [session, ...after.slice(0, end === -1 ? after.length : end).map((row) => row.session.session)];
}
