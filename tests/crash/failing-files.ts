// The operating system, failing once at the nth call of one kind. What a power loss would leave is known: the bytes that a
// returned flush has covered.

import { nodeFiles } from '@tidemark/store-ndjson';
import type { FilePort, LogFile } from '@tidemark/store-ndjson';

/** `full-disk`: half of an append arrives. `stuck-disk`: nor can that half be cut. `failing-flush`: the bytes may be lost. */
export type FileFault = 'full-disk' | 'stuck-disk' | 'failing-flush';

/** A port that fails at its call number `at` of the kind that the fault strikes, and for ever after. */
export interface FailingFiles {
  readonly port: FilePort;
  /** Whether the fault was reached. */
  readonly struck: boolean;
  /** Bytes of each log that are on stable storage. */
  readonly flushed: ReadonlyMap<string, number>;
}

/** Counts from 0. */
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
      if (fault === 'failing-flush' || !strikes()) return file.append(bytes);
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
    get struck() {
      return struck;
    },
    flushed,
  };
}
