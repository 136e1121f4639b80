// Errors of an object storage. A message names the storage and the reason, and no key of an object and no credentials.

import { LogError } from '@tidemark/log';

/** Direction of an operation: `write` for storing, copying and removing, `read` for everything else. */
export type ObjectAccess = 'read' | 'write';

/** Returns the error for a storage that refused an operation. A retry without a change would fail again. */
export function refusedError(place: string, access: ObjectAccess, why: string, cause: unknown): LogError {
  if (access === 'write') {
    const message = `An object could not be written in ${place} (${why}). No record refers to it yet; check the space, the settings and the permissions of the storage, then try again.`;
    return new LogError('artifact/write-failed', message, { place }, cause);
  }
  const message = `An object could not be read from ${place} (${why}); check the settings and the permissions of the storage.`;
  return new LogError('artifact/read-failed', message, { place }, cause);
}

/** Returns the error for a storage that did not answer, or that reported a temporary fault, also after retries. */
export function unreachableError(place: string, why: string, cause: unknown): LogError {
  const message = `The storage ${place} cannot be reached or has a fault (${why}). Nothing is lost; try again later.`;
  return new LogError('artifact/unreachable', message, { place }, cause);
}

/** Returns the code of an error of the system, such as `ENOSPC`, or the name of any other error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
