// Tests faults of the network and of the server between this package and a bucket.

import { createHash, randomBytes } from 'node:crypto';
import { sessionId } from '@tidemark/log';
import { fails, gather, untilFailure } from '@tidemark/log/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactKeys } from '../src/artifact-keys.ts';
import { createObjectArtifacts } from '../src/object-artifacts.ts';
import { createObjectSnapshots, readObject } from '../src/object-snapshots.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { openS3With } from '../src/s3-bucket.ts';
import { openS3Objects } from '../src/s3-objects.ts';
import type { S3Options } from '../src/s3-options.ts';
import type { S3Server } from './s3-server.ts';
import { cutAfter, damage, hangUp, refuse, stall, startS3, truncateTo } from './s3-server.ts';

let server: S3Server;
let objects: ObjectStore;

beforeAll(async () => {
  server = await startS3();
  objects = await openS3Objects(server.options);
});

afterAll(async () => {
  objects.close();
  await server.close();
});

async function opened<T>(more: Partial<S3Options>, use: (objects: ObjectStore) => Promise<T>): Promise<T> {
  const other = await openS3Objects({ ...server.options, ...more });
  try {
    return await use(other);
  } finally {
    other.close();
  }
}

async function read(key: string): Promise<Uint8Array | undefined> {
  return readObject(objects, key, 10_000_000);
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
}

const LARGE = randomBytes(400_000);
const BUSY = refuse(503, 'SlowDown');
const BROKEN = refuse(500, 'InternalError');

/** Returns the ranges that the last requests asked for. */
function ranges(count: number): readonly (string | undefined)[] {
  return server.calls.slice(-count).map(({ headers }) => headers.range);
}

describe('a download', () => {
  it('continues after a lost connection with the bytes that are missing', async () => {
    await objects.put('cut', LARGE);
    server.disturb('GET', cutAfter(100_000), cutAfter(50_000));
    expect((await read('cut'))?.length).toBe(LARGE.length);
    const [first, second, third] = ranges(3);
    expect(first).toBeUndefined();
    // A part of the bytes that the server sent can be lost with the connection.
    const [from, then] = [second, third].map((range) =>
      Number(/^bytes=(?<at>\d+)-$/.exec(range ?? '')?.groups?.['at']),
    );
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThanOrEqual(100_000);
    expect(then).toBeGreaterThan(from ?? 0);
    expect(Buffer.from((await read('cut')) ?? [])).toEqual(LARGE);
  });

  it('ends with `artifact/unreachable` if the connection is lost again and again', async () => {
    const { digest } = await createObjectArtifacts(objects).put(LARGE);
    server.disturb('GET', cutAfter(100_000), hangUp, hangUp, hangUp);
    const { error, values } = await untilFailure(createObjectArtifacts(objects).get(digest));
    expect([error.code, error.sort]).toEqual(['artifact/unreachable', 'retryable']);
    expect(Buffer.concat(values).equals(LARGE)).toBe(false);
    expect(Buffer.concat(await gather(createObjectArtifacts(objects).get(digest)))).toEqual(LARGE);
  });

  it('does not join bytes of two versions of an object', async () => {
    await objects.put('changed', LARGE);
    server.disturb('GET', cutAfter(100_000));
    const bytes = await objects.get('changed');
    await objects.put('changed', randomBytes(400_000));
    if (bytes === undefined) throw new Error('not found');
    await fails(gather(bytes), 'artifact/unreachable');
  });

  it('of an artifact with a missing end is `artifact/damaged`', async () => {
    for (const bytes of [Buffer.alloc(3_000, 'x'), LARGE]) {
      const { digest } = await createObjectArtifacts(objects).put(bytes);
      for (const length of [0, 1, 2_000]) {
        if (bytes.length < 4_096) server.disturb('GET', refuse(404, 'NoSuchKey'));
        server.disturb('GET', truncateTo(length));
        expect((await untilFailure(createObjectArtifacts(objects).get(digest))).error.code).toBe('artifact/damaged');
      }
    }
  });

  it('of wrong bytes is `artifact/damaged`', async () => {
    const { digest } = await createObjectArtifacts(objects).put(LARGE);
    server.disturb('GET', damage);
    const { error } = await untilFailure(createObjectArtifacts(objects).get(digest));
    expect([error.code, error.data]).toEqual(['artifact/damaged', { digest, place: 'bucket sessions' }]);
  });

  it('closes its connection when the reader stops early', async () => {
    await objects.put('stopped', LARGE);
    for (let count = 0; count < 60; count += 1) {
      // More readers than connections: a connection that stays in use would block the later ones.
      for await (const piece of (await objects.get('stopped')) ?? []) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
  });
});

describe('a request', () => {
  it('is sent again after faults of the server', async () => {
    server.disturb('PUT', BROKEN, BUSY);
    await objects.put('busy', Buffer.from('text'));
    server.disturb('GET', BUSY, hangUp);
    expect(Buffer.from((await read('busy')) ?? []).toString()).toBe('text');
    server.disturb('HEAD', BROKEN, hangUp);
    expect(await objects.stat('busy')).toMatchObject({ size: 4 });
  });

  it('with the bytes of a stream is sent again from the beginning', async () => {
    const bytes = randomBytes(500_000);
    server.disturb('PUT', BROKEN, hangUp);
    const { digest } = await createObjectArtifacts(objects).put(inPieces(bytes));
    expect(Buffer.concat(await gather(createObjectArtifacts(objects).get(digest)))).toEqual(bytes);
  });

  it('carries the digest of its content, so the server can refuse changed content', async () => {
    const bytes = randomBytes(500_000);
    for (const source of [bytes, inPieces(bytes)]) {
      const { digest } = await createObjectArtifacts(objects).put(source);
      const sent = server.calls.findLast(({ method }) => method === 'PUT')?.headers['x-amz-content-sha256'];
      const stored = await read(artifactKeys(digest).packed);
      expect(sent).toBe(
        createHash('sha256')
          .update(stored ?? '')
          .digest('hex'),
      );
    }
  });

  it('ends with `artifact/unreachable` after the last attempt', async () => {
    server.disturb('PUT', BROKEN, BROKEN, BROKEN);
    const error = await fails(objects.put('never', Buffer.from('x')), 'artifact/unreachable');
    expect(error.message).toContain('bucket sessions');
    expect(error.message).toContain('InternalError, HTTP status 500');
    server.disturb('PUT', hangUp, hangUp, hangUp);
    await fails(createObjectArtifacts(objects).put(inPieces(LARGE)), 'artifact/unreachable');
    for (const work of [() => objects.stat('a'), () => objects.remove('a'), () => gather(objects.list(''))]) {
      for (const method of ['HEAD', 'DELETE', 'GET']) server.disturb(method, BUSY, BUSY, BUSY);
      await fails(work(), 'artifact/unreachable');
      server.calm();
    }
    expect(await read('never')).toBeUndefined();
  });

  it('ends if no byte arrives for the idle time', () =>
    opened({ idleTimeout: 50, maxAttempts: 2 }, async (impatient) => {
      server.disturb('PUT', stall, stall);
      const error = await fails(impatient.put('slow', Buffer.from('x')), 'artifact/unreachable');
      expect(error.message).toContain('TimeoutError');
    }));

  it('ends with `artifact/unreachable` if no server is there', () =>
    opened({ endpoint: 'http://127.0.0.1:1', maxAttempts: 1 }, async (absent) => {
      const requests = [() => absent.put('a', new Uint8Array()), () => absent.get('a'), () => gather(absent.list(''))];
      for (const request of requests) {
        const error = await fails(request(), 'artifact/unreachable');
        expect(error.message).toContain('ECONNREFUSED');
      }
    }));

  it('that the server refuses ends at once, and the error contains no key and no credentials', async () => {
    const before = server.calls.length;
    const message = 'User arn:aws:iam::1:user/me may not use artifacts/secret-key';
    server.disturb('PUT', refuse(403, 'AccessDenied', message));
    const error = await fails(objects.put('secret-key', Buffer.from('x')), 'artifact/write-failed');
    expect(error.message).toContain('bucket sessions (AccessDenied, HTTP status 403)');
    expect(`${error.message}${JSON.stringify(error.data)}`).not.toMatch(/secret-key|S3RVER|arn:/);
    expect(server.calls.length).toBe(before + 1);
    server.disturb('GET', refuse(403, 'AccessDenied', message));
    await fails(objects.get('secret-key'), 'artifact/read-failed');
  });

  it('to a bucket that does not exist is refused, and an object is not reported as missing', () =>
    opened({ bucket: 'absent' }, async (absent) => {
      await fails(absent.get('a'), 'artifact/read-failed');
      await fails(gather(absent.list('')), 'artifact/read-failed');
      const error = await fails(absent.put('a', new Uint8Array()), 'artifact/write-failed');
      expect(error.message).toContain('bucket absent (NoSuchBucket');
    }));
});

describe('a bucket', () => {
  it('is shared by storages with different prefixes', () =>
    opened({ prefix: 'one/' }, (one) =>
      opened({ prefix: 'one/two/' }, async (two) => {
        await one.put('a', Buffer.from('1'));
        await two.put('a', Buffer.from('22'));
        expect([(await one.stat('a'))?.size, (await two.stat('a'))?.size]).toEqual([1, 2]);
        expect((await gather(two.list(''))).map(({ key }) => key)).toEqual(['a']);
        expect(await two.copy('a', 'b')).toBe(true);
        expect((await objects.stat('one/two/b'))?.size).toBe(2);
      }),
    ));

  it('is listed completely if it has more objects than one page', () =>
    opened({ prefix: 'many/' }, async (many) => {
      const names = Array.from({ length: 1_005 }, (_, index) => `n${index}`);
      for (let at = 0; at < names.length; at += 20) {
        await Promise.all(names.slice(at, at + 20).map((name) => many.put(name, new Uint8Array())));
      }
      expect((await gather(many.list(''))).map(({ key }) => key).toSorted()).toEqual(names.toSorted());
    }));

  it('is not opened with an invalid prefix', async () => {
    for (const prefix of ['a', '/', '../']) {
      await expect(openS3Objects({ ...server.options, prefix })).rejects.toThrow(TypeError);
    }
  });

  it('is not opened without the package of the SDK, and the error names the package', async () => {
    const missing = openS3With(server.options, () => Promise.reject(new Error('Cannot find package')));
    expect((await fails(missing, 'artifact/read-failed')).message).toContain('npm install @aws-sdk/client-s3');
  });

  it('without credentials is refused with the reason', async () => {
    const { AWS_ACCESS_KEY_ID: key } = process.env;
    delete process.env['AWS_ACCESS_KEY_ID'];
    try {
      await opened({}, async (anonymous) => {
        const error = await fails(anonymous.put('a', new Uint8Array()), 'artifact/write-failed');
        expect(error.message).toContain('redentials');
      });
    } finally {
      process.env['AWS_ACCESS_KEY_ID'] = key;
    }
  });
});

describe('a snapshot', () => {
  it('is `undefined` while the storage does not answer, because it only makes reading faster', async () => {
    const snapshots = createObjectSnapshots(objects);
    server.disturb('GET', BROKEN, BROKEN, BROKEN);
    expect(await snapshots.get(sessionId('s'))).toBeUndefined();
  });
});
