// The lowest seam: all that the writer asks of the operating system. Faults are injected here, and nowhere above.

import { constants } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { openForWriting } from './open-file.ts';

/** A log file, open for appending. */
export interface LogFile {
  /** Its length in bytes; -1 when no name leads to it any more. */
  size(): Promise<number>;
  /** Writes behind the end, in one piece as a rule. It may have written a part when it throws. */
  append(bytes: Uint8Array): Promise<void>;
  /** The bytes are on stable storage when it returns. */
  flush(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/** What the writer asks of the operating system. */
export interface FilePort {
  /** Opens a file for appending; with `create` it is made, readable by its owner only. @throws LogError `log/not-a-file`. */
  openLog(path: string, create: boolean): Promise<LogFile>;
  /** The type of the file system that a path stands on, as `statfs` gives it. */
  filesystemType(path: string): Promise<number>;
}

/** The operating system itself. */
export const nodeFiles: FilePort = {
  async openLog(path, create) {
    const flags = constants.O_RDWR | constants.O_APPEND | (create ? constants.O_CREAT : 0);
    return logFile(await openForWriting(path, flags, 0o600));
  },
  filesystemType: async (path) => (await statfs(path)).type,
};

function logFile(handle: FileHandle): LogFile {
  return {
    async size() {
      const { size, nlink } = await handle.stat();
      return nlink === 0 ? -1 : size;
    },
    async append(bytes) {
      for (let written = 0; written < bytes.length;) {
        written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    },
    flush: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    close: () => handle.close(),
  };
}
