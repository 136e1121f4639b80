// Looks at what a home keeps beside its logs, and how much it has grown. Writes nothing.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { inspectArtifacts } from '@tidemark/store-ndjson';

import { plainSize } from '../frame/plain-size.ts';
import type { DoctorCheck } from './check.ts';

/** Above that many bytes `doctor` suggests to collect what no log names: 5 GiB. */
const MUCH = 5 * 1_024 ** 3;

/** Damaged artifacts that are named one by one. */
const SHOWN = 20;

/** Whether every artifact still holds the bytes whose digest is its name. */
export async function checkArtifacts(home: string): Promise<DoctorCheck> {
  const { files, bytes, damaged } = await inspectArtifacts({ home });
  const found = `${files} artifacts, ${plainSize(bytes)}`;
  if (damaged.length === 0) return { name: 'artifacts', state: 'good', found };
  const paths = damaged.slice(0, SHOWN).map((path) => `\n         ${path}`);
  return {
    name: 'artifacts',
    state: 'failed',
    found: `${found}, ${damaged.length} damaged:${paths.join('')}`,
    next: 'restore these files from a backup; the same bytes put again mend them too',
  };
}

/** Whether a home has grown so large that collecting is worth it. `much` is in bytes. */
export async function checkSize(home: string, much: number = MUCH): Promise<DoctorCheck> {
  const bytes = await bytesBelow(home);
  const found = plainSize(bytes);
  if (bytes <= much) return { name: 'size', state: 'good', found };
  return { name: 'size', state: 'warning', found, next: 'tidemark doctor --gc removes what no log names' };
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

/** A file that goes while the others are counted has no size. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
