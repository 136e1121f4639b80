// Contract of artifacts: bytes are stored by digest, streamed, stored only one time, and checked when read.

import { describe, expect } from 'vitest';
import type { Digest } from '../../src/ids.ts';
import { digest } from '../../src/ids.ts';
import type { Artifacts } from '../../src/port.ts';
import type { LogFactory } from '../log-under-test.ts';
import { digestOf, fails, gather, untilFailure } from '../samples.ts';
import { claim } from '../with-store.ts';

async function bytesOf(artifacts: Artifacts, name: Digest): Promise<Buffer> {
  return Buffer.concat(await gather(artifacts.get(name)));
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Returns pseudo-random bytes, which compress badly. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = 1; at < length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = state >> 16;
  }
  return bytes;
}

export function claimArtifacts(factory: LogFactory): void {
  describe('an artifact', () => {
    claim(
      factory,
      'is read unchanged at any size, whether its bytes were put whole or in pieces',
      async ({ log, reopen }) => {
        for (const length of [0, 1, 4095, 4096, 4097, 70_000, 3_000_000]) {
          for (const bytes of [noise(length), Buffer.alloc(length, 'a')]) {
            const put = await log.artifacts.put(length % 2 === 0 ? bytes : inPieces(bytes, 1000));
            expect(put).toEqual({ digest: digestOf(bytes), size: length });
            expect((await bytesOf(reopen().artifacts, put.digest)).equals(bytes)).toBe(true);
          }
        }
      },
    );

    claim(factory, 'that begins like a compressed file is read unchanged', async ({ log }) => {
      const bytes = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]);
      const put = await log.artifacts.put(bytes);
      expect((await bytesOf(log.artifacts, put.digest)).equals(bytes)).toBe(true);
    });

    claim(factory, 'does not change if the caller changes its buffer after `put`', async ({ log }) => {
      const bytes = Buffer.from('before');
      const { digest: name } = await log.artifacts.put(bytes);
      bytes.fill(0);
      expect((await bytesOf(log.artifacts, name)).toString()).toBe('before');
    });

    claim(factory, 'has one digest if the same bytes are put several times at once', async ({ log }) => {
      const bytes = noise(10_000);
      const puts = await Promise.all([bytes, bytes, inPieces(bytes, 77)].map((one) => log.artifacts.put(one)));
      expect(new Set(puts.map((put) => put.digest)).size).toBe(1);
      expect((await bytesOf(log.artifacts, digestOf(bytes))).equals(bytes)).toBe(true);
    });

    claim(factory, 'that does not exist is reported as missing', async ({ log }) => {
      const nobody = digest('0'.repeat(64));
      expect(await log.artifacts.has(nobody)).toBe(false);
      await fails(gather(log.artifacts.get(nobody)), 'artifact/missing');
    });

    claim(
      factory,
      'that is damaged is refused, and putting the same bytes again repairs it',
      async ({ log, reopen, damageArtifact }) => {
        for (const bytes of [Buffer.from('small'), noise(20_000)]) {
          const { digest: name } = await log.artifacts.put(bytes);
          expect(await log.artifacts.has(name)).toBe(true);
          await damageArtifact(name);
          expect((await untilFailure(reopen().artifacts.get(name))).error.code).toBe('artifact/damaged');
          await reopen().artifacts.put(bytes);
          expect((await bytesOf(log.artifacts, name)).equals(bytes)).toBe(true);
        }
      },
    );

    claim(factory, 'whose source fails is not stored', async ({ log }) => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield noise(9000);
        throw new Error('the source is gone');
      }
      await expect(log.artifacts.put(broken())).rejects.toThrow('the source is gone');
      expect(await log.artifacts.has(digestOf(noise(9000)))).toBe(false);
    });
  });
}
