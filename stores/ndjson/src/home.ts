// What the parts of this store share: the paths, the operating system, and what was learned of the files.

import { join, resolve } from 'node:path';
import type { Digest, SessionId } from '@tidemark/log';
import type { Folders } from './durable-folder.ts';
import { createFolders } from './durable-folder.ts';
import type { FilePort } from './file-port.ts';
import { nodeFiles } from './file-port.ts';

/** How to open a home. */
export interface NdjsonOptions {
  /** Its folder; made by the first `create`. */
  readonly home: string;
  /** The operating system, or one with faults. */
  readonly files?: FilePort;
}

/** A home that is open. */
export interface Home {
  readonly paths: HomePaths;
  readonly files: FilePort;
  readonly folders: Folders;
  readonly waypoints: Waypoints;
}

/** Opens a home. Nothing is touched yet. */
export function openHome({ home, files = nodeFiles }: NdjsonOptions): Home {
  const paths = homePaths(home);
  return { paths, files, folders: createFolders(paths.home), waypoints: createWaypoints() };
}

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

/**
 * A known place between two records of a log file, so that a later read begins near its target. It is a hint, checked against
 * the file before use (L9).
 */
interface Waypoint {
  /** Position of the record that begins there. */
  readonly length: number;
  readonly offset: number;
}

/** What a store has learned of its files. */
export interface Waypoints {
  learn(session: SessionId, waypoint: Waypoint): void;
  /** The nearest one at or before a position. */
  before(session: SessionId, position: number): Waypoint | undefined;
  /** All of a session's: one did not fit its file. */
  forget(session: SessionId): void;
}

/** Nearer ones are not worth keeping. */
const SPACING = 262_144;

/** Knows nothing yet. */
function createWaypoints(): Waypoints {
  const known = new Map<SessionId, Waypoint[]>();
  return {
    learn(session, waypoint) {
      const points = known.get(session) ?? [];
      const last = points.at(-1);
      if (last !== undefined && waypoint.offset <= last.offset) return;
      const crowded = last !== undefined && last.offset - (points.at(-2)?.offset ?? 0) < SPACING;
      if (crowded) points.pop();
      points.push(waypoint);
      known.set(session, points);
    },
    before: (session, position) => known.get(session)?.findLast((point) => point.length <= position),
    forget: (session) => void known.delete(session),
  };
}
