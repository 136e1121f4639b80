// Files that keep nothing, so that a store over them shows its own cost and not the disk's; and what it asked of them.

import type { FilePort } from '@tidemark/store-ndjson';

/** What the files were asked. */
export interface QuietFiles {
  readonly files: FilePort;
  readonly flushes: number;
  readonly bytes: number;
}

/** Log files that only know how long they are. */
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
