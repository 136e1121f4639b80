// What the parts of this store share: the paths, the operating system, and what was learned of the files.

import { createFolders } from './durable-folder.ts';
import type { Folders } from './durable-folder.ts';
import { nodeFiles } from './file-port.ts';
import type { FilePort } from './file-port.ts';
import { homePaths } from './paths.ts';
import type { HomePaths } from './paths.ts';
import { createWaypoints } from './waypoints.ts';
import type { Waypoints } from './waypoints.ts';

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
