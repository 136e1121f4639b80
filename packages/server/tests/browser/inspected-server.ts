// A server with the sessions of a store in memory, as `tidemark serve` opens it, and the file of a session.

import type { SessionProjection } from '@tidemark/analytics';
import { openSessionProjection } from '@tidemark/analytics';
import { createRequestReader, sessionFile } from '@tidemark/inspector';
import type { Log } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { Encoder } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import type { Page } from 'playwright-core';
import type { TestServerOptions } from '../test-server.ts';
import { openTestServer } from '../test-server.ts';

const encoders = (revision: string): Encoder | undefined =>
  [anthropicEncoder, scriptedEncoder].find((encoder) => encoder.revision === revision);

function openRows(log: Log): Promise<SessionProjection> {
  const rowOf = (provider: string, model: string) => findModel(defaultCatalog(), model, provider);
  return openSessionProjection({ log, rowOf, rules: '', path: undefined });
}

/** A server whose page is tested. */
export type InspectedServer = Awaited<ReturnType<typeof openInspected>>;

/** Opens a server for the sessions of a store. */
export async function openInspected({ log, ...options }: TestServerOptions & { readonly log: Log }) {
  return openTestServer({ log, ...options, server: { encoders, projection: await openRows(log) } });
}

/** Opens a place of the page in a tab. The first place is opened with a link. */
export async function openPlace(page: Page, { server }: InspectedServer, place: string): Promise<void> {
  if (!page.url().startsWith(server.url)) {
    await page.goto(server.createLink());
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  }
  await page.goto(`${server.url}/${place}`);
}

/** Returns the file of sessions. */
export async function fileOf(log: Log, sessions: readonly string[]): Promise<string> {
  const projection = await openRows(log);
  await projection.update();
  const reader = createRequestReader(log, encoders);
  return sessionFile(sessions.map(sessionId), { log, reader, projection, mask: async (text) => text });
}
