// Opens a bucket of an S3-compatible storage. The SDK of AWS is an optional package, so it is loaded only then. The types
// of this file do not need it.

import type { ObjectStore } from './object-store.ts';
import { openS3With } from './s3-bucket.ts';
import type { S3Options } from './s3-options.ts';

/**
 * Opens a bucket as an object storage. No request is sent yet.
 *
 * A request with a temporary fault is sent again. An interrupted download continues where it stopped. An upload is one
 * request, so S3 stores it whole or not at all, and its limit is 5 GiB.
 *
 * @throws LogError `artifact/read-failed` when the package `@aws-sdk/client-s3` is not installed; TypeError for an
 *   invalid prefix.
 */
export function openS3Objects(options: S3Options): Promise<ObjectStore> {
  return openS3With(options, () => import('@aws-sdk/client-s3'));
}
