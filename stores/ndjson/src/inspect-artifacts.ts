// Inspects the artifacts of a home. Each artifact is read whole and compared with the digest in its name.

import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '@tidemark/log';
import { LogError, digest as mintDigest } from '@tidemark/log';
import { createArtifacts } from './artifacts.ts';
import { unlessGone } from './file-port.ts';
import type { HomePaths, NdjsonOptions } from './home.ts';
import { openHome } from './home.ts';

/** Result of inspecting the artifacts of a home. */
export interface ArtifactInspection {
  readonly files: number;
  /** Total size of the files on the disk, in bytes. Packed files count with their packed size. */
  readonly bytes: number;
  /** Paths of the files whose bytes do not match the digest in their name. */
  readonly damaged: readonly string[];
}

/** Reads every artifact of a home and reports the damaged ones. Nothing is changed. */
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

/** A file under `artifacts`: an artifact, or a temporary file of a killed process. */
export interface ArtifactFile {
  readonly path: string;
  /** Digest of the artifact in this file. Missing for a temporary file. */
  readonly digest?: Digest;
  /** Length of the file on the disk, in bytes. */
  readonly bytes: number;
  /** Time when the artifact was last stored, in milliseconds since 1970. */
  readonly changedAt: number;
}

const NAME = /^([0-9a-f]{64})(?:\.zst)?$/;

/**
 * Yields every file under `artifacts`, in no particular order. A file that is removed during the listing is skipped.
 */
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
