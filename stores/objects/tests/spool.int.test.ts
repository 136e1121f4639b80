// Tests how the bytes of an artifact are packed before they are sent.

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { digestOf, fails, gather } from '@tidemark/log/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createObjectArtifacts } from '../src/object-artifacts.ts';
import type { ObjectStore } from '../src/object-store.ts';
import { SourceFailure, spoolBytes, spoolStream } from '../src/spool.ts';

const unpack = promisify(zstdDecompress);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Folder for the temporary files of one test. */
let folder: string;
let before: string | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-spool-'));
  before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
});

afterEach(async () => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await rm(folder, { recursive: true });
});

describe('a stream', () => {
  it('of up to 4 KiB stays in memory, unpacked', async () => {
    for (const length of [0, 1, 4_096]) {
      const bytes = randomBytes(length);
      const spooled = await spoolStream(inPieces(bytes, 1_000), async () => undefined);
      expect(spooled).toEqual({ digest: digestOf(bytes), size: length, isPacked: false, content: bytes });
    }
  });

  it('above 4 KiB is packed into a file that has no name, and it can be read again', async () => {
    const bytes = randomBytes(300_000);
    const spooled = await spoolStream(inPieces(bytes, 1_000), async ({ content }) => {
      expect(await readdir(folder)).toEqual([]);
      if (content instanceof Uint8Array) throw new Error('in memory');
      for (let time = 0; time < 2; time += 1) {
        const packed = Buffer.concat(await gather<Buffer>(content.read()));
        expect([packed.length, digestOf(packed)]).toEqual([content.size, content.sha256]);
        expect(await unpack(packed)).toEqual(bytes);
      }
    });
    expect(spooled).toMatchObject({ digest: digestOf(bytes), size: 300_000, isPacked: true });
  });

  it('has the digest and the form of the same bytes in memory', async () => {
    for (const length of [4_096, 4_097]) {
      const bytes = randomBytes(length);
      const [whole, pieces] = [await spoolBytes(bytes), await spoolStream(inPieces(bytes, 7), async () => undefined)];
      expect([pieces.digest, pieces.size, pieces.isPacked]).toEqual([whole.digest, whole.size, whole.isPacked]);
    }
  });

  it('whose source fails is closed, and its error is the cause of a `SourceFailure`', async () => {
    for (const length of [10, 100_000]) {
      let isClosed = false;
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        try {
          yield randomBytes(length);
          throw new Error('gone');
        } finally {
          isClosed = true;
        }
      };
      const failure = await spoolStream(broken(), async () => undefined).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SourceFailure);
      expect(failure).toMatchObject({ cause: { message: 'gone' } });
      expect([isClosed, await readdir(folder)]).toEqual([true, []]);
    }
  });

  it('is closed if the temporary file cannot be written', async () => {
    process.env['TMPDIR'] = '/dev/null/none';
    let isClosed = false;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield randomBytes(1_000);
      } finally {
        isClosed = true;
      }
    };
    const objects: Pick<ObjectStore, 'place'> = { place: 'nowhere' };
    const none = (): never => {
      throw new Error('not used');
    };
    const unused = {
      put: none,
      copy: none,
      get: none,
      stat: none,
      list: none,
      remove: none,
      tidy: none,
      close: none,
    };
    const error = await fails(createObjectArtifacts({ ...objects, ...unused }).put(source()), 'artifact/write-failed');
    expect(error.message).toContain('the temporary folder /dev/null/none (ENOTDIR)');
    expect(isClosed).toBe(true);
  });
});
