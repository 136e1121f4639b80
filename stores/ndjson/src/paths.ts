// Where things stand under a home.

import { join, resolve } from 'node:path';
import type { Digest, SessionId } from '@tidemark/log';

/** The files of one session. */
export interface RoomPaths {
  readonly folder: string;
  readonly log: string;
  readonly lease: string;
  readonly snapshot: string;
}

/** The folders of a home. */
export interface HomePaths {
  readonly home: string;
  readonly sessions: string;
  readonly artifacts: string;
  readonly shared: string;
}

/** The folders of a home, absolute. */
export function homePaths(home: string): HomePaths {
  const root = resolve(home);
  return {
    home: root,
    sessions: join(root, 'sessions'),
    artifacts: join(root, 'artifacts'),
    shared: join(root, 'shared'),
  };
}

/** The files of a session; its id is safe as a folder name. */
export function roomPaths(paths: HomePaths, session: SessionId): RoomPaths {
  const folder = join(paths.sessions, session);
  return {
    folder,
    log: join(folder, 'log.ndjson'),
    lease: join(folder, 'lease.db'),
    snapshot: join(folder, 'snapshot'),
  };
}

/** Where an artifact stands: as it is, or packed by zstd. */
export function artifactPaths(
  paths: HomePaths,
  digest: Digest,
): { readonly folder: string; readonly plain: string; readonly packed: string } {
  const folder = join(paths.artifacts, digest.slice(0, 2));
  const plain = join(folder, digest);
  return { folder, plain, packed: `${plain}.zst` };
}
