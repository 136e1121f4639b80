// Checks the artifacts and the total size of a home. Writes nothing.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { inspectArtifacts } from '@tidemark/store-ndjson';

import { plainSize } from '../frame/plain-size.ts';
import type { DoctorCheck } from './check.ts';

/** Size in bytes (5 GiB) above which `doctor` suggests removing unused artifacts. */
const MUCH = 5 * 1_024 ** 3;

/** Maximum number of damaged artifacts that are listed. */
const SHOWN = 20;

/** Checks that the bytes of every artifact match the digest in its name. */
export async function checkArtifacts(home: string): Promise<DoctorCheck> {
  const { files, bytes, damaged } = await inspectArtifacts({ home });
  const found = `${files} artifacts, ${plainSize(bytes)}`;
  if (damaged.length === 0) return { name: 'artifacts', state: 'good', found };
  const paths = damaged.slice(0, SHOWN).map((path) => `\n         ${path}`);
  return {
    name: 'artifacts',
    state: 'failed',
    found: `${found}, ${damaged.length} damaged:${paths.join('')}`,
    next: 'restore these files from a backup; storing the same bytes again also repairs them',
  };
}

/** Checks if a home is larger than `much` bytes. Its unused artifacts should then be removed. */
export async function checkSize(home: string, much: number = MUCH): Promise<DoctorCheck> {
  const bytes = await bytesBelow(home);
  const found = plainSize(bytes);
  if (bytes <= much) return { name: 'size', state: 'good', found };
  return { name: 'size', state: 'warning', found, next: '`tidemark doctor --gc` removes unused artifacts' };
}

async function bytesBelow(home: string): Promise<number> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true }).catch(none);
  let bytes = 0;
  for (const entry of entries) if (entry.isFile()) bytes += await sizeOf(join(entry.parentPath, entry.name));
  return bytes;
}

function none(error: NodeJS.ErrnoException): [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

/** Returns the size of a file in bytes. Returns 0 for a file that is deleted during the count. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
