// State that the parts of this store share: the paths, the file operations, and known places in the log files.

import { join, resolve } from 'node:path';
import type { Folders } from '@tidemark/files';
import { createFolders } from '@tidemark/files';
import type { Digest, SessionId } from '@tidemark/log';
import type { FilePort } from './file-port.ts';
import { nodeFiles } from './file-port.ts';

/** Options for opening a home. */
export interface NdjsonOptions {
  /** Folder of the home. The first `create` makes it. */
  readonly home: string;
  /** File operations of the operating system, by default `nodeFiles`. Tests pass operations that inject faults. */
  readonly files?: FilePort;
  /**
   * Limits of the bytes that the store keeps of files before tools changed them. `false` keeps none. Default: 8 MiB for
   * each file and 64 MiB for each session.
   */
  readonly undoLimits?: UndoLimits | false;
}

/** Limits of the bytes that are kept of files before tools changed them. */
export interface UndoLimits {
  /** Maximum size of one file, in bytes. A larger file is not kept. */
  readonly file: number;
  /** Maximum size of all files of one session, in bytes. The oldest files are removed first. */
  readonly session: number;
}

/** State of an open home, which the parts of the store share. */
export interface Home {
  readonly paths: HomePaths;
  readonly files: FilePort;
  readonly folders: Folders;
  readonly waypoints: Waypoints;
}

/** Opens a home. No file is read or written yet. */
export function openHome({ home, files = nodeFiles }: NdjsonOptions): Home {
  const paths = homePaths(home);
  return { paths, files, folders: createFolders(paths.home), waypoints: createWaypoints() };
}

/** Absolute paths of the folder and files of one session. */
export interface RoomPaths {
  readonly folder: string;
  readonly log: string;
  readonly lease: string;
  readonly snapshot: string;
  /** Folder with the bytes of files before tools changed them. */
  readonly undo: string;
}

/** Absolute paths of the folders of a home. */
export interface HomePaths {
  readonly home: string;
  readonly sessions: string;
  readonly artifacts: string;
  readonly shared: string;
  /** Folders of removed sessions, which are being deleted. */
  readonly removed: string;
}

/** Returns the absolute paths of the folders of a home. */
export function homePaths(home: string): HomePaths {
  const root = resolve(home);
  return {
    home: root,
    sessions: join(root, 'sessions'),
    artifacts: join(root, 'artifacts'),
    shared: join(root, 'shared'),
    removed: join(root, 'removed'),
  };
}

/** Returns the paths of the files of a session. A session id is always safe as a folder name. */
export function roomPaths(paths: HomePaths, session: SessionId): RoomPaths {
  const folder = join(paths.sessions, session);
  return {
    folder,
    log: join(folder, 'log.ndjson'),
    lease: join(folder, 'lease.db'),
    snapshot: join(folder, 'snapshot'),
    undo: join(folder, 'undo'),
  };
}

/** Returns the paths where an artifact can be stored: unpacked, or packed with zstd. */
export function artifactPaths(
  paths: HomePaths,
  digest: Digest,
): { readonly folder: string; readonly plain: string; readonly packed: string } {
  const folder = join(paths.artifacts, digest.slice(0, 2));
  const plain = join(folder, digest);
  return { folder, plain, packed: `${plain}.zst` };
}

/**
 * A known place between two records of a log file. A later read begins there instead of at the beginning of the file. A
 * waypoint may be wrong and is checked against the file before use (L9).
 */
interface Waypoint {
  /** Position of the record that begins at this place. */
  readonly length: number;
  readonly offset: number;
}

/** The known waypoints of all log files of a home. */
export interface Waypoints {
  learn(session: SessionId, waypoint: Waypoint): void;
  /** Returns the last known waypoint at or before a position. */
  before(session: SessionId, position: number): Waypoint | undefined;
  /** Drops all waypoints of a session. Called when one waypoint did not match its file. */
  forget(session: SessionId): void;
}

/** Minimum distance between two kept waypoints, in bytes. Only the last waypoint may be nearer to the one before it. */
const SPACING = 262_144;

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
