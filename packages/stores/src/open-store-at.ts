// Opens a store by its address. The packages of a database and of a bucket are loaded only when an address needs them.

import { isAbsolute, resolve } from 'node:path';
import type { Log } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { ObjectStore } from '@tidemark/store-objects';

/** Address of a store, and of the artifacts of a database. */
export interface StoreAddress {
  /** `postgres://…` or `postgresql://…` for a database, otherwise the folder of a home. */
  readonly address: string;
  /**
   * Place of the artifacts of a database: a folder or `s3://bucket/prefix`. A home contains its own artifacts, and this
   * value is not used.
   */
  readonly objects: string;
  /** Tenant in the database. Default: `default`. */
  readonly tenant?: string;
  /** True to create the schema of the database, or to bring it to this version. It needs the owner of the schema. */
  readonly migrate?: boolean;
  /** Variables for S3: `TIDEMARK_S3_ENDPOINT` is the address of a server other than AWS. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A store that must be closed. */
export interface OpenStore {
  readonly log: Log;
  /** Name of the store in messages. It contains no password. */
  readonly place: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Returns true for the address of a database. */
export function isDatabaseAddress(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}

/**
 * Opens a store. A folder is not accessed yet. The schema of a database is checked.
 *
 * @throws TypeError for an address that is neither a folder nor that of a database. The message does not contain it.
 * @throws LogError `log/missing` when the database has no schema of this version, `log/unreachable` when it does not
 *   answer; `artifact/read-failed` when the package for S3 is not installed.
 */
export async function openStoreAt(options: StoreAddress): Promise<OpenStore> {
  const { address } = options;
  if (isDatabaseAddress(address)) return openDatabaseAt(options);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    throw new TypeError('the address of a store is a folder, or begins with postgres://');
  }
  const home = resolve(address);
  const { openNdjsonStore } = await import('@tidemark/store-ndjson');
  return { log: openNdjsonStore({ home }), place: home, close: async () => undefined };
}

async function openDatabaseAt(options: StoreAddress): Promise<OpenStore> {
  const { address, tenant = 'default', migrate: isMigrated = false } = options;
  const place = placeOf(address);
  const { migrate, openDatabase, openPostgresStore } = await import('@tidemark/store-postgres');
  const objects = await openObjects(options);
  if (isMigrated) {
    await migrate(address).catch((cause: unknown) => {
      throw asLogError(place, cause);
    });
  }
  const database = openDatabase({ url: address });
  const close = async (): Promise<void> => {
    await database.close();
    objects.close();
  };
  try {
    // The newest function, for a session that cannot exist: it changes nothing.
    await database.call('leave_copy', [tenant, '', '']);
    return { log: openPostgresStore({ database, tenant, objects }), place, close };
  } catch (cause) {
    await close();
    if (!isWithoutSchema(cause)) throw asLogError(place, cause);
    const message = `${place} has no schema of this version of Tidemark. Create or update the schema with the role that owns it (\`--migrate\`).`;
    throw new LogError('log/missing', message, { place }, cause);
  }
}

/** Codes of PostgreSQL: the schema or the function does not exist. */
const WITHOUT_SCHEMA: ReadonlySet<unknown> = new Set(['3F000', '42883']);

function isWithoutSchema(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && WITHOUT_SCHEMA.has(cause.code);
}

function asLogError(place: string, cause: unknown): LogError {
  if (cause instanceof LogError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${place} refused the connection or a statement (${reason}). Check the address, the password and the rights of the role.`;
  return new LogError('log/unreachable', message, { place }, cause);
}

/** Returns host and name of a database. The user and the password are left out. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) throw new TypeError('the address of the database is not a valid URL');
  const { host, pathname } = new URL(address);
  return `postgres://${host}${pathname}`;
}

async function openObjects({ objects, environment = {} }: StoreAddress): Promise<ObjectStore> {
  const { openFolderObjects, openS3Objects } = await import('@tidemark/store-objects');
  const bucket = /^s3:\/\/(?<bucket>[^/]+)(?:\/(?<prefix>.*))?$/.exec(objects)?.groups;
  if (bucket === undefined) {
    if (objects.includes('://')) throw new TypeError('artifacts are in a folder, or in s3://bucket/prefix');
    return openFolderObjects(isAbsolute(objects) ? objects : resolve(objects));
  }
  const prefix = (bucket['prefix'] ?? '').replace(/\/*$/, '');
  const endpoint = environment['TIDEMARK_S3_ENDPOINT'];
  return openS3Objects({
    bucket: bucket['bucket'] ?? '',
    prefix: prefix === '' ? '' : `${prefix}/`,
    ...(endpoint !== undefined && endpoint !== '' && { endpoint, forcePathStyle: true }),
  });
}
