// Database whose writes or flushes can be made to fail, as on a full disk.

import type { Database, FunctionName } from '../src/index.ts';

/** Makes calls fail until `heal`. */
export interface DatabaseFaults {
  failWrites(): void;
  failFlushes(): void;
  heal(): void;
}

/** Returns the database with faults that can be switched on. */
export function faulty(database: Database): Database & { readonly faults: DatabaseFaults } {
  const failing = new Set<FunctionName>();
  return {
    ...database,
    async call(name, values) {
      if (failing.has(name)) throw new Error('could not extend file: No space left on device');
      return database.call(name, values);
    },
    faults: {
      failWrites: () => void failing.add('append_records'),
      failFlushes: () => void failing.add('flush_session'),
      heal: () => failing.clear(),
    },
  };
}
