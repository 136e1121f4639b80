// Keeps the bytes of files before tools changed them, in the folder of the session. The folder belongs to the session
// alone: it is not exported, and it is removed together with the session.

import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile, writeAtomically } from '@tidemark/files';
import type { Digest, SessionId, UndoStore } from '@tidemark/log';
import { digest as mintDigest } from '@tidemark/log';
import { unlessGone } from './file-port.ts';
import type { Home, UndoLimits } from './home.ts';
import { roomPaths } from './home.ts';
import { lineage } from './read-session.ts';

const MIB = 1_024 * 1_024;
const LIMITS: UndoLimits = { file: 8 * MIB, session: 64 * MIB };

/** Returns the undo store of a home. */
export function createUndo(home: Home, limits: UndoLimits = LIMITS): UndoStore {
  return {
    largest: limits.file,
    async keep(session, bytes) {
      if (bytes.length > limits.file) return undefined;
      const digest = hashOf(bytes);
      const { undo } = roomPaths(home.paths, session);
      await home.folders.make(undo);
      if (!(await isKept(join(undo, digest)))) {
        await writeAtomically(undo, async (handle) => {
          await handle.writeFile(bytes);
          return join(undo, digest);
        });
      }
      await removeOldest(undo, digest, limits.session);
      return digest;
    },
    get: (session, digest) => get(home, session, digest, limits),
  };
}

/** Returns true if the file exists, and makes it the youngest of its folder. */
async function isKept(path: string): Promise<boolean> {
  const now = new Date();
  return (await utimes(path, now, now).catch(() => false)) !== false;
}

/** A file with the bytes of a changed file. */
export interface UndoFile {
  readonly path: string;
  /** Name of the file: the digest of its bytes, or the name of a temporary file of a killed process. */
  readonly name: string;
  readonly bytes: number;
  /** Time when the bytes were last kept, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** Returns the files of a session's undo folder. Empty if there is no such folder. */
export async function undoFiles(folder: string): Promise<readonly UndoFile[]> {
  const found: UndoFile[] = [];
  for (const name of (await readdir(folder).catch(unlessGone)) ?? []) {
    const path = join(folder, name);
    const stats = await stat(path).catch(unlessGone);
    if (stats?.isFile() === true) found.push({ path, name, bytes: stats.size, changedAt: stats.mtimeMs });
  }
  return found;
}

/** Share of the room from which a file counts as large. */
const LARGE = 1 / 64;

/**
 * Removes files until the rest fits: first large files, then the others, oldest first. Otherwise a few generated files
 * would remove all source files. The file that was just kept stays.
 */
async function removeOldest(folder: string, newest: Digest, most: number): Promise<void> {
  const files = await undoFiles(folder);
  let size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const rank = ({ bytes }: UndoFile): number => (bytes >= most * LARGE ? 0 : 1);
  for (const { path, name, bytes } of files.toSorted((a, b) => rank(a) - rank(b) || a.changedAt - b.changedAt)) {
    if (size <= most) return;
    if (name === newest) continue;
    await rm(path, { force: true });
    size -= bytes;
  }
}

async function get(
  home: Home,
  session: SessionId,
  digest: Digest,
  limits: UndoLimits,
): Promise<Uint8Array | undefined> {
  const { segments } = await lineage(home, session);
  for (const segment of segments.toReversed()) {
    const path = join(roomPaths(home.paths, segment.session).undo, digest);
    const bytes = await readRegularFile(path, { most: limits.file }).catch(() => undefined);
    if (bytes !== undefined && hashOf(bytes) === digest) return bytes;
  }
  return undefined;
}

function hashOf(bytes: Uint8Array): Digest {
  return mintDigest(createHash('sha256').update(bytes).digest('hex'));
}
