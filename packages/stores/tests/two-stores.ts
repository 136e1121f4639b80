// A home and a tenant of a database, between which sessions move.

import { join } from 'node:path';
import type { Log } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { openFolderObjects } from '@tidemark/store-objects';
import { openDatabase, openPostgresStore } from '@tidemark/store-postgres';

/** Places of two stores, and the direction of the move. */
export interface TwoPlaces {
  readonly home: string;
  readonly url: string;
  readonly tenant: string;
  /** True if sessions move to the home. */
  readonly toHome: boolean;
}

/** Duration of a lease, in milliseconds. It is short, because the tests wait for the lease of a killed process. */
const LEASE = 300;

/** Opens both stores. */
export function openBoth({ home, url, tenant, toHome }: TwoPlaces): {
  readonly from: Log;
  readonly to: Log;
  close(): Promise<void>;
} {
  const database = openDatabase({ url, connections: 4 });
  const objects = openFolderObjects(join(home, 'objects'));
  const inDatabase = openPostgresStore({ database, tenant, objects, lease: LEASE });
  const inHome = openNdjsonStore({ home });
  const close = (): Promise<void> => database.close();
  return toHome ? { from: inDatabase, to: inHome, close } : { from: inHome, to: inDatabase, close };
}
