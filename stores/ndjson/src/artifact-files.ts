// The files under `artifacts`: each kept bytes, or what a killed process left of a write.

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { digest as mintDigest } from '@tidemark/log';
import type { Digest } from '@tidemark/log';
import { unlessGone } from './file-errors.ts';
import type { HomePaths } from './paths.ts';

/** One file. */
export interface ArtifactFile {
  readonly path: string;
  /** What it holds; absent for what a write has left or is writing still. */
  readonly digest?: Digest;
  /** Its length on the disk. */
  readonly bytes: number;
  /** When it was last put, in milliseconds since 1970. */
  readonly changedAt: number;
}

const NAME = /^([0-9a-f]{64})(?:\.zst)?$/;

/** Every file, in no order. One that goes while it is looked at is left out. */
export async function* artifactFiles({ artifacts }: HomePaths): AsyncGenerator<ArtifactFile> {
  for (const entry of await entriesOf(artifacts)) {
    const path = join(artifacts, entry.name);
    if (entry.isFile()) yield* fileAt(path, entry.name);
    if (!entry.isDirectory()) continue;
    for (const inner of await entriesOf(path)) if (inner.isFile()) yield* fileAt(join(path, inner.name), inner.name);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(unlessGone)) ?? [];
}

async function* fileAt(path: string, name: string): AsyncGenerator<ArtifactFile> {
  const found = await stat(path).catch(unlessGone);
  if (found === undefined) return;
  const [, digest] = NAME.exec(name) ?? [];
  const file = { path, bytes: found.size, changedAt: found.mtimeMs };
  yield digest === undefined ? file : { ...file, digest: mintDigest(digest) };
}
