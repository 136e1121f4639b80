// Looking over what the artifacts hold: each is read whole and compared with the digest that is its name.

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '@tidemark/log';
import { LogError, digest as mintDigest } from '@tidemark/log';
import { createArtifacts } from './artifacts.ts';
import { unlessGone } from './file-port.ts';
import type { HomePaths, NdjsonOptions } from './home.ts';
import { openHome } from './home.ts';

/** What was found. Nothing was changed. */
export interface ArtifactInspection {
  readonly files: number;
  /** On the disk, as they are packed. */
  readonly bytes: number;
  /** Paths whose bytes are not those of their name. */
  readonly damaged: readonly string[];
}

/** Reads every artifact of a home. */
export async function inspectArtifacts(store: NdjsonOptions): Promise<ArtifactInspection> {
  const { paths, folders } = openHome(store);
  const artifacts = createArtifacts(paths, folders);
  const damaged: string[] = [];
  let files = 0;
  let bytes = 0;
  for await (const file of artifactFiles(paths)) {
    if (file.digest === undefined) continue;
    files += 1;
    bytes += file.bytes;
    try {
      for await (const piece of artifacts.get(file.digest)) if (piece.length === 0) continue;
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      if (error.code === 'artifact/damaged') damaged.push(file.path);
    }
  }
  return { files, bytes, damaged };
}

/** A file under `artifacts`: the bytes of an artifact, or what a killed process left of a write. */
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
