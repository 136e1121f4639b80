// Files that take the place of others, on a file system that uses the number of a removed file again.

import type * as FileSystem from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { identityOf } from './identity.ts';

vi.mock('node:fs', async (load) => {
  const actual = await load<typeof FileSystem>();
  const lstat = (path: string, options: { readonly bigint: true; readonly throwIfNoEntry: false }): unknown => {
    const stats = actual.lstatSync(path, options);
    return stats && Object.assign(stats, { ino: 7n });
  };
  return { ...actual, lstatSync: lstat };
});

function openFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-identity-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('tells a link from one with another target', () => {
  const path = join(openFolder(), '.git');
  const identities = ['../one', '../two', '../one'].map((target) => {
    rmSync(path, { force: true });
    symlinkSync(target, path);
    return identityOf(path);
  });
  expect(identities[1]).not.toBe(identities[0]);
  expect(identities[2]).toBe(identities[0]);
});

it('tells a `.git` file from one with other content', () => {
  const path = join(openFolder(), '.git');
  const identities = ['gitdir: ../one', 'gitdir: ../two', 'gitdir: ../one'].map((content) => {
    writeFileSync(path, content);
    return identityOf(path);
  });
  expect(identities[1]).not.toBe(identities[0]);
  expect(identities[2]).toBe(identities[0]);
});

it('is empty for what is not there, and for a path that cannot be looked at', () => {
  const root = openFolder();
  symlinkSync('circle', join(root, 'circle'));
  expect([identityOf(join(root, 'none')), identityOf(join(root, 'circle/x'))]).toEqual(['', '']);
  mkdirSync(join(root, 'some'));
  expect(identityOf(join(root, 'some'))).not.toBe('');
});
