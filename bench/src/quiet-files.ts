// Files that store nothing, so that the measured cost is that of the store and not of the disk. They count the flushes
// and bytes that the store requests.

import type { FilePort } from '@tidemark/store-ndjson';

/** File port, and counts of the requested flushes and bytes. */
export interface QuietFiles {
  readonly files: FilePort;
  readonly flushes: number;
  readonly bytes: number;
}

/** Creates a file port whose log files keep only their length. */
export function quietFiles(): QuietFiles {
  const asked = { flushes: 0, bytes: 0 };
  const openLog: FilePort['openLog'] = async () => {
    let size = 0;
    return {
      size: async () => size,
      async append(bytes) {
        size += bytes.length;
        asked.bytes += bytes.length;
      },
      async flush() {
        asked.flushes += 1;
      },
      async truncate(length) {
        size = length;
      },
      async close() {},
    };
  };
  return {
    files: { openLog, filesystemType: async () => 0 },
    get flushes() {
      return asked.flushes;
    },
    get bytes() {
      return asked.bytes;
    },
  };
}
