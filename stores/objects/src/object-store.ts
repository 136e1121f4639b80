// The interface of an object storage: bytes by key. Two implementations exist: a folder and an S3-compatible storage.

import type { Readable } from 'node:stream';

/**
 * Bytes by key. A key consists of parts that are joined by `/`. A part consists of the characters `a-z A-Z 0-9 . _ -`
 * and does not begin with `.`. Every function throws a `TypeError` for another key.
 *
 * Reads are consistent: after a returned `put` or `remove`, every `get`, `stat` and `list` sees the change. S3 promises
 * this, and so do file systems.
 */
export interface ObjectStore {
  /** Name of the storage in messages, for example `bucket sessions` or `folder /srv/objects`. It contains no secret. */
  readonly place: string;
  /**
   * Stores an object whole or not at all, and replaces an object with the same key. When the promise resolves, the
   * object is on stable storage and its time is now. The caller must not change the bytes before then.
   *
   * @throws LogError `artifact/write-failed` when the storage refuses, `artifact/unreachable` when it does not answer
   *   or has a temporary fault.
   */
  put(key: string, bytes: Uint8Array | ObjectFile): Promise<void>;
  /**
   * Copies an object inside the storage, whole or not at all. The time of the copy is now. Returns false if there is no
   * object with the first key.
   *
   * @throws LogError as `put` does.
   */
  copy(from: string, to: string): Promise<boolean>;
  /**
   * Returns the bytes of an object as a stream, or `undefined` if there is no object with this key. The caller must
   * iterate the stream, because it holds a connection or a file until its iteration ends.
   *
   * @throws LogError `artifact/read-failed` when the storage refuses, `artifact/unreachable` when it does not answer.
   *   The iteration throws the same errors.
   */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Returns size and time of an object, or `undefined` if there is no object with this key.
   *
   * @throws LogError as `get` does.
   */
  stat(key: string): Promise<ObjectEntry | undefined>;
  /**
   * Yields all objects whose keys begin with `prefix`, in no particular order. A prefix is empty or ends with `/`. An
   * object that is stored or removed during the iteration may be missing. Objects with other names are left out.
   *
   * @throws LogError as `get` does.
   */
  list(prefix: string): AsyncIterable<ObjectEntry>;
  /**
   * Removes an object. Does nothing if there is no object with this key.
   *
   * @throws LogError as `put` does.
   */
  remove(key: string): Promise<void>;
  /**
   * Removes temporary files that killed processes left more than a day ago. A storage without temporary files does
   * nothing.
   *
   * @throws LogError as `put` does.
   */
  tidy(): Promise<void>;
  /** Closes idle connections. The store can still be used afterwards. */
  close(): void;
}

/** Object as listed. */
export interface ObjectEntry {
  readonly key: string;
  /** Number of stored bytes. */
  readonly size: number;
  /** Time of the last `put` in milliseconds since 1970, by the clock of the storage. S3 reports whole seconds. */
  readonly changedAt: number;
}

/** Bytes in a temporary file, so that large bytes are not in memory. */
export interface ObjectFile {
  /** Number of bytes. */
  readonly size: number;
  /** SHA-256 of the bytes in hex. A storage in the network compares it with what arrived. */
  readonly sha256: string;
  /** Reads the file from its beginning. It can be called again, for a retry. */
  read(): Readable;
}

const KEY = /^[a-zA-Z0-9_-][a-zA-Z0-9._-]*(?:\/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*$/;

/** Returns true for a valid key. A storage can also contain objects of other programs, which have any name. */
export function isKey(key: string): boolean {
  return KEY.test(key);
}

/** Returns the key. @throws TypeError if it is not a valid key. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`not a key of an object: ${JSON.stringify(key)}`);
  return key;
}

/** Returns the prefix. @throws TypeError if it is not empty and not a valid key followed by `/`. */
export function checkPrefix(prefix: string): string {
  if (prefix !== '' && !(prefix.endsWith('/') && isKey(prefix.slice(0, -1)))) {
    throw new TypeError(`not a prefix of keys: ${JSON.stringify(prefix)}`);
  }
  return prefix;
}
