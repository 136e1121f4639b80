// Opens SQLite files. A file is a database, or it is used as a lock by exclusive transactions. `node:sqlite` is loaded
// only here, because older versions of Node print a warning when it is loaded.

import type { DatabaseSync } from 'node:sqlite';

/** Primary result codes `SQLITE_BUSY` and `SQLITE_LOCKED`. The higher bits of an extended code are masked. */
const HELD: ReadonlySet<number> = new Set([5, 6]);

/** Beginning of the warning that Node 22 and 24 print when `node:sqlite` is loaded. */
const WARNING = 'SQLite is an experimental feature';

/**
 * Opens a SQLite file for a lock. If another connection has locked the file, an operation fails immediately. The caller
 * must close the database.
 *
 * @throws the error of SQLite when the file cannot be opened.
 */
export function openLockDatabase(path: string): DatabaseSync {
  return openDatabase(path, 0);
}

/**
 * Opens a SQLite file, or a database in memory for the path `:memory:`. An operation waits `timeout` milliseconds for
 * the lock of another connection. The caller must close the database.
 *
 * @throws the error of SQLite when the file cannot be opened.
 */
export function openDatabase(path: string, timeout: number): DatabaseSync {
  const Database = loadDatabase();
  return new Database(path, { timeout });
}

/**
 * Opens a SQLite file that another program owns, for reading. SQLite can create its own `-shm` and `-wal` files next to
 * it. The caller must close the database.
 *
 * @throws the error of SQLite when the file cannot be opened.
 */
export function openDatabaseReadOnly(path: string, timeout: number): DatabaseSync {
  const Database = loadDatabase();
  return new Database(path, { timeout, readOnly: true });
}

/** Returns true if an operation failed because another connection holds the lock. */
export function isHeldLock(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error && typeof error.errcode === 'number') return HELD.has(error.errcode & 0xff);
  // Deno reports no code of SQLite.
  return 'code' in error && error.code === 'ERR_SQLITE_ERROR' && /^database (?:table )?is locked/.test(error.message);
}

/**
 * Loads `node:sqlite` without its warning. The locks use only transactions, and the tests run on each supported version
 * of Node. Node prints the warning once, while it loads the module, so other warnings are not affected.
 */
function loadDatabase(): typeof DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply(emit, process, values: Parameters<typeof emitWarning>) {
      if (!String(values[0]).startsWith(WARNING)) emit.apply(process, values);
    },
  });
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
