// Failing file operations: makes the nth call of one operation fail, and all later calls of that operation. Records the
// number of bytes that successful flushes covered, because only these bytes are certain to survive a power loss.

import { LogError } from '@tidemark/log';
import type { Artifacts } from '@tidemark/log';
import { nodeFiles } from '@tidemark/store-ndjson';
import type { FilePort, LogFile } from '@tidemark/store-ndjson';

/**
 * Kind of file fault. `full-disk`: only half of an append is written. `stuck-disk`: the same, and the half cannot be
 * truncated. `failing-flush`: a flush fails, and its bytes may be lost. `full-shelf`: an artifact cannot be stored.
 */
export type FileFault = 'full-disk' | 'stuck-disk' | 'failing-flush' | 'full-shelf';

/** File operations of which one fails from a given call on, and a record of the flushed bytes. */
export interface FailingFiles {
  readonly port: FilePort;
  /**
   * Wraps the artifacts of a store. With the fault `full-shelf`, storing an artifact fails from call number `at` on.
   */
  shelf(artifacts: Artifacts): Artifacts;
  /** True if the fault has occurred. */
  readonly struck: boolean;
  /** Number of bytes that successful flushes covered, by path of the log. */
  readonly flushed: ReadonlyMap<string, number>;
}

const STRIKES_APPENDS: ReadonlySet<FileFault> = new Set(['full-disk', 'stuck-disk']);

/**
 * Returns file operations in which the operation that `fault` affects fails from its call number `at` on, counted from
 * 0.
 */
export function failingFiles(fault: FileFault, at: number): FailingFiles {
  const flushed = new Map<string, number>();
  let calls = 0;
  let struck = false;
  const strikes = (): boolean => {
    struck ||= calls === at;
    calls += 1;
    return struck;
  };
  const wrap = (path: string, file: LogFile): LogFile => ({
    ...file,
    async append(bytes) {
      if (!STRIKES_APPENDS.has(fault) || !strikes()) return file.append(bytes);
      await file.append(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    async flush() {
      if (fault === 'failing-flush' && strikes())
        throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      const size = await file.size();
      await file.flush();
      flushed.set(path, size);
    },
    async truncate(length) {
      if (fault === 'stuck-disk' && struck)
        throw Object.assign(new Error('EIO: i/o error, ftruncate'), { code: 'EIO' });
      await file.truncate(length);
    },
  });
  return {
    port: {
      openLog: async (path, create) => wrap(path, await nodeFiles.openLog(path, create)),
      filesystemType: nodeFiles.filesystemType,
    },
    shelf: (artifacts) => ({
      ...artifacts,
      put: async (bytes) => {
        if (fault === 'full-shelf' && strikes())
          throw new LogError('artifact/write-failed', 'ENOSPC: no space left on device, write');
        return artifacts.put(bytes);
      },
    }),
    get struck() {
      return struck;
    },
    flushed,
  };
}
