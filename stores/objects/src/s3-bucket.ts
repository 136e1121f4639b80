// The requests to a bucket of an S3-compatible storage. Only this file uses the SDK of AWS and its types.

import { setTimeout as sleep } from 'node:timers/promises';
import type * as sdkModule from '@aws-sdk/client-s3';
import type { GetObjectCommandOutput, PutObjectCommand, S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { LogError } from '@tidemark/log';
import type { ObjectAccess } from './object-errors.ts';
import { unreachableError } from './object-errors.ts';
import type { ObjectEntry, ObjectFile, ObjectStore } from './object-store.ts';
import { checkKey, checkPrefix, isKey } from './object-store.ts';
import { asLogError, isMissing, isTemporary } from './s3-errors.ts';
import type { S3Options } from './s3-options.ts';

type Sdk = typeof sdkModule;

const MAX_ATTEMPTS = 3;
const IDLE_TIMEOUT = 60_000;
/** Time in milliseconds for opening a connection. */
const CONNECT_TIMEOUT = 10_000;

/** Opens a bucket like `openS3Objects`. `load` loads the SDK. */
export async function openS3With(options: S3Options, load: () => Promise<Sdk>): Promise<ObjectStore> {
  const { bucket, prefix = '', maxAttempts = MAX_ATTEMPTS } = options;
  const place = `bucket ${bucket}`;
  checkPrefix(prefix);
  const sdk = await load().catch((cause: unknown) => {
    const message = `The storage ${place} needs the package @aws-sdk/client-s3, which could not be loaded; install it next to Tidemark (npm install @aws-sdk/client-s3).`;
    throw new LogError('artifact/read-failed', message, { place }, cause);
  });
  const at: Bucket = { sdk, client: new sdk.S3Client(clientOptions(options)), place, bucket, prefix, maxAttempts };
  return {
    place,
    put: (key, bytes) => put(at, checkKey(key), bytes),
    copy: (from, to) => copy(at, checkKey(from), checkKey(to)),
    get: (key) => get(at, checkKey(key)),
    stat: (key) => stat(at, checkKey(key)),
    list: (below) => list(at, checkPrefix(below)),
    remove: (key) => remove(at, checkKey(key)),
    tidy: () => Promise.resolve(),
    close: () => at.client.destroy(),
  };
}

/** An open bucket. */
interface Bucket {
  readonly sdk: Sdk;
  readonly client: S3Client;
  readonly place: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly maxAttempts: number;
}

/** Checksums by the SDK are turned off, because many servers refuse them, and artifacts are checked by their digest. */
function clientOptions(options: S3Options): S3ClientConfig {
  const { region, endpoint, forcePathStyle = false, maxAttempts = MAX_ATTEMPTS, idleTimeout = IDLE_TIMEOUT } = options;
  return {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle,
    maxAttempts,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT, socketTimeout: idleTimeout, logger: SILENT },
    logger: SILENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** Logger of the SDK. Without it, the SDK writes warnings to the terminal. Every fault is reported as an error here. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** Does the work, and throws a `LogError` for an error of the SDK. */
async function attempt<T>({ place }: Bucket, access: ObjectAccess, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asLogError(place, access, error);
  }
}

async function put(at: Bucket, key: string, bytes: Uint8Array | ObjectFile): Promise<void> {
  const place = { Bucket: at.bucket, Key: `${at.prefix}${key}` };
  await attempt(at, 'write', async () => {
    if (!(bytes instanceof Uint8Array)) return putFile(at, place, bytes);
    await at.client.send(new at.sdk.PutObjectCommand({ ...place, Body: bytes, ContentLength: bytes.length }));
  });
}

/** Sends a file. The SDK cannot send a stream again, so a temporary fault is handled here. */
async function putFile(at: Bucket, place: { Bucket: string; Key: string }, file: ObjectFile): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    const body = file.read();
    const command = new at.sdk.PutObjectCommand({ ...place, Body: body, ContentLength: file.size });
    signContent(command, file.sha256);
    try {
      await at.client.send(command);
      return;
    } catch (error) {
      if (attempts >= at.maxAttempts || !isTemporary(error)) throw error;
      await sleep(pauseAfter(attempts));
    } finally {
      body.destroy();
    }
  }
}

/** Adds the digest of the content to the signed headers, so the server refuses content that was changed on the way. */
function signContent(command: PutObjectCommand, sha256: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      const headers = typeof request === 'object' && request !== null && 'headers' in request && request.headers;
      if (typeof headers === 'object' && headers !== null) Object.assign(headers, { 'x-amz-content-sha256': sha256 });
      return next(args);
    },
    { step: 'build', name: 'signContent' },
  );
}

/** Returns the pause before the next attempt in milliseconds. It grows, and it is random so that machines spread. */
function pauseAfter(attempts: number): number {
  return Math.random() * Math.min(20_000, 100 * 2 ** attempts);
}

async function copy(at: Bucket, from: string, to: string): Promise<boolean> {
  const source = `${at.bucket}/${at.prefix}${from}`;
  const command = new at.sdk.CopyObjectCommand({ Bucket: at.bucket, Key: `${at.prefix}${to}`, CopySource: source });
  return attempt(at, 'write', async () => (await unlessMissing(at.client.send(command))) !== undefined);
}

async function get(at: Bucket, key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
  const first = await attempt(at, 'read', () => unlessMissing(requestObject(at, key)));
  return first === undefined ? undefined : bytesOf(at, key, first);
}

function requestObject(at: Bucket, key: string, rest: Rest = {}): Promise<GetObjectCommandOutput> {
  return at.client.send(new at.sdk.GetObjectCommand({ Bucket: at.bucket, Key: `${at.prefix}${key}`, ...rest }));
}

/** Limits a request to the rest of an object that has not changed. */
interface Rest {
  readonly Range?: string;
  readonly IfMatch?: string;
}

/** Yields the bytes of an object. After a fault of the network it requests the bytes that are missing. */
async function* bytesOf(at: Bucket, key: string, first: GetObjectCommandOutput): AsyncGenerator<Uint8Array> {
  let answer = first;
  let received = 0;
  for (let faults = 1; ; faults += 1) {
    try {
      for await (const chunk of bodyOf(answer)) {
        received += chunk.length;
        faults = 1;
        yield chunk;
      }
      return;
    } catch (error) {
      if (faults >= at.maxAttempts || first.ETag === undefined) throw asLogError(at.place, 'read', error);
      await sleep(pauseAfter(faults));
    }
    const rest = { Range: `bytes=${received}-`, IfMatch: first.ETag };
    answer = await attempt(at, 'read', () => requestObject(at, key, rest));
    // Some servers ignore one of the two headers.
    const isRest = answer.ETag === first.ETag && answer.ContentRange?.startsWith(`bytes ${received}-`) === true;
    if (!isRest) throw unreachableError(at.place, 'an object was replaced while it was read', undefined);
  }
}

async function* bodyOf({ Body: body }: GetObjectCommandOutput): AsyncGenerator<Uint8Array> {
  if (body === undefined || !(Symbol.asyncIterator in body)) return;
  for await (const chunk of body) yield chunk;
}

async function stat(at: Bucket, key: string): Promise<ObjectEntry | undefined> {
  const command = new at.sdk.HeadObjectCommand({ Bucket: at.bucket, Key: `${at.prefix}${key}` });
  const head = await attempt(at, 'read', () => unlessMissing(at.client.send(command)));
  return head === undefined ? undefined : entryOf(key, head.ContentLength, head.LastModified);
}

async function* list(at: Bucket, prefix: string): AsyncGenerator<ObjectEntry> {
  const wanted = { Bucket: at.bucket, Prefix: `${at.prefix}${prefix}` };
  let next: string | undefined;
  do {
    const place = next === undefined ? wanted : { ...wanted, ContinuationToken: next };
    const page = await attempt(at, 'read', () => at.client.send(new at.sdk.ListObjectsV2Command(place)));
    for (const { Key: name = '', Size: size, LastModified: time } of page.Contents ?? []) {
      const key = name.slice(at.prefix.length);
      if (isKey(key)) yield entryOf(key, size, time);
    }
    next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (next !== undefined);
}

/** Returns an entry. An object without a time counts as new, so it is not removed. */
function entryOf(key: string, size: number | undefined, time: Date | undefined): ObjectEntry {
  return { key, size: size ?? 0, changedAt: time?.getTime() ?? Date.now() };
}

async function remove(at: Bucket, key: string): Promise<void> {
  const command = new at.sdk.DeleteObjectCommand({ Bucket: at.bucket, Key: `${at.prefix}${key}` });
  await attempt(at, 'write', () => unlessMissing(at.client.send(command)));
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
