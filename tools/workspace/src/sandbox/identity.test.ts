// Tests that the identity of a file changes when the file is replaced. The file system in this test uses the inode
// number of a removed file again.

import type { BigIntStats } from 'node:fs';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { lookAtFile } from './folder-index.ts';
import { identityOf } from './identity.ts';

const withOneNumber = (path: string): BigIntStats | undefined => {
  const stats = lookAtFile(path);
  return stats && Object.assign(stats, { ino: 7n });
};

function openFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-identity-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('`identityOf` differs for links with different targets', () => {
  const path = join(openFolder(), '.git');
  const identities = ['../one', '../two', '../one'].map((target) => {
    rmSync(path, { force: true });
    symlinkSync(target, path);
    return identityOf(path, withOneNumber);
  });
  expect(identities[1]).not.toBe(identities[0]);
  expect(identities[2]).toBe(identities[0]);
});

it('`identityOf` differs for `.git` files with different content', () => {
  const path = join(openFolder(), '.git');
  const identities = ['gitdir: ../one', 'gitdir: ../two', 'gitdir: ../one'].map((content) => {
    writeFileSync(path, content);
    return identityOf(path, withOneNumber);
  });
  expect(identities[1]).not.toBe(identities[0]);
  expect(identities[2]).toBe(identities[0]);
});

it('`identityOf` is empty for a missing path and for a path without access', () => {
  const root = openFolder();
  symlinkSync('circle', join(root, 'circle'));
  expect([identityOf(join(root, 'none')), identityOf(join(root, 'circle/x'))]).toEqual(['', '']);
  mkdirSync(join(root, 'some'));
  expect(identityOf(join(root, 'some'))).not.toBe('');
});
