// Sorts the errors of the SDK of S3: the object is missing, a fault passes, or the storage refuses.

import { LogError } from '@tidemark/log';
import type { ObjectAccess } from './object-errors.ts';
import { refusedError, unreachableError } from './object-errors.ts';

/** Returns true for the answer that there is no object with the key. A missing bucket is another error. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

/**
 * Returns true for a fault that can pass: no answer, a lost connection, too many requests, a fault of the server, or an
 * object that was replaced while it was read.
 */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  if (status !== undefined) return status >= 500 || PASSING_STATUSES.has(status) || PASSING_NAMES.has(error.name);
  return PASSING_NAMES.has(error.name) || codeOf(error) !== undefined;
}

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 412, 429]);
const PASSING_NAMES: ReadonlySet<string> = new Set(['TimeoutError', 'AbortError', 'RequestTimeout', 'SlowDown']);

/** Returns the error that callers of the storage get. The cause has only name and message of the SDK's error. */
export function asLogError(place: string, access: ObjectAccess, error: unknown): LogError {
  if (error instanceof LogError) return error;
  const why = whyOf(error);
  const cause = error instanceof Error ? Object.assign(new Error(error.message), { name: error.name }) : undefined;
  return isTemporary(error) ? unreachableError(place, why, cause) : refusedError(place, access, why, cause);
}

/**
 * Returns the reason in a few words. An answer of the server is described by its name and status, because its message
 * can contain the key of an object. An error of the SDK itself, such as missing credentials, has a message that helps.
 */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  const status = statusOf(error);
  if (status !== undefined) return `${error.name}, HTTP status ${status}`;
  return codeOf(error) ?? (PASSING_NAMES.has(error.name) ? error.name : `${error.name}: ${error.message}`);
}

function statusOf(error: Error): number | undefined {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}

/** Returns the code of an error of the network, such as `ECONNREFUSED`. */
function codeOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
