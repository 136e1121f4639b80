// Opens the rows of the sessions for the analytics of the server.

import { join } from 'node:path';

import type { SessionProjection } from '@tidemark/analytics';
import { AnalyticsError, openSessionProjection } from '@tidemark/analytics';
import { makeFolder } from '@tidemark/files';
import { findModel } from '@tidemark/model';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';
import { catalogDigest, readCatalog } from '../settings/own-catalog.ts';

/**
 * Opens the database in the home. Its rows are computed again if the prices of the catalog have changed. If the
 * database cannot be used, says so and uses one in memory.
 */
export async function openAnalytics(context: CommandContext): Promise<SessionProjection> {
  const { home, output } = context;
  const catalog = await readCatalog(home);
  const options = {
    log: await context.store(),
    rowOf: (provider: string, model: string) => findModel(catalog, model, provider),
    rules: catalogDigest(catalog),
  };
  await makeFolder(home, 0o700);
  try {
    return await openSessionProjection({ ...options, path: join(home, 'sessions.sqlite') });
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    output.note([withStyle('yellow', 'notice'), `: ${error.message} The analytics are kept in memory until then.`]);
    return openSessionProjection({ ...options, path: undefined });
  }
}
