// Tests stores that are opened by their address.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sessionId } from '@tidemark/log';
import { fails, sessionWith, texts } from '@tidemark/log/contract';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';

import { openStoreAt } from '../src/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-stores-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const server = inject('postgres');

test.each(['a folder', 'a database'])(
  'a session written in %s is read when the store is opened again',
  async (kind) => {
    const address = kind === 'a folder' ? join(folder, 'home') : `${server}/postgres`;
    const options = { address, objects: join(folder, 'objects'), tenant: randomUUID(), migrate: true };
    for (const name of ['first', 'second']) {
      const { log, place, close } = await openStoreAt(options);
      await (await sessionWith(log, sessionId(name), 1)).close();
      expect(await texts(log, sessionId('first'))).toEqual(['session.created', '0']);
      expect(place).not.toContain('of-tests');
      await close();
    }
  },
);

test('a database without the schema, and one that refuses the role, are reported without the password', async () => {
  const options = { objects: join(folder, 'objects') };
  const missing = await fails(openStoreAt({ ...options, address: `${server}/template1` }), 'log/missing');
  const wrong = new URL(`${server}/postgres`);
  wrong.password = 'a-wrong-password';
  const refused = await fails(openStoreAt({ ...options, address: wrong.href }), 'log/unreachable');
  for (const { message } of [missing, refused]) {
    expect(message).not.toMatch(/of-tests|a-wrong-password/);
    expect(message).toContain('127.0.0.1');
  }
});

test('a bucket with a prefix is accepted, and other addresses are refused without being shown', async () => {
  const address = `${server}/postgres`;
  const { close } = await openStoreAt({ address, objects: 's3://bucket/some/prefix', migrate: true });
  await close();
  for (const wrong of [
    { address: 'mysql://me:secret@db/x', objects: folder },
    { address, objects: 'https://me:secret@host/bucket' },
    { address: 'postgres://me:secret@[', objects: folder },
  ]) {
    const error = await openStoreAt(wrong).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain('secret');
  }
});
