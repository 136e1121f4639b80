// File operations with faults, for tests: a write that fails after half of its bytes, a flush that fails, and the state
// of the files after a power loss.

import type { FilePort, LogFile } from '../src/file-port.ts';
import { nodeFiles } from '../src/file-port.ts';

/** A file port whose faults can be switched on and off. */
export interface FaultyFiles {
  readonly port: FilePort;
  /** Makes each later write store only half of its bytes and then fail with `ENOSPC`, the error of a full disk. */
  failWrites(): void;
  failFlushes(): void;
  /** Makes each later truncation fail, so the tail of a failed write remains. */
  failTruncates(): void;
  /** Makes each file report this type of file system. */
  standOn(type: number): void;
  heal(): void;
  /** Length of each file at its last successful flush, in bytes, by path. */
  readonly flushed: ReadonlyMap<string, number>;
  /** Number of successful flushes. */
  readonly flushes: number;
}

/** Creates a file port. At first, all its faults are switched off. */
export function faultyFiles(): FaultyFiles {
  const fails = { write: false, flush: false, truncate: false };
  const flushed = new Map<string, number>();
  let flushes = 0;
  let type: number | undefined;

  const wrap = (path: string, file: LogFile): LogFile => ({
    ...file,
    async append(bytes) {
      if (!fails.write) return file.append(bytes);
      await file.append(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    },
    async flush() {
      if (fails.flush) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
      const size = await file.size();
      await file.flush();
      flushed.set(path, size);
      flushes += 1;
    },
    async truncate(length) {
      if (fails.truncate) throw Object.assign(new Error('EIO: i/o error, ftruncate'), { code: 'EIO' });
      await file.truncate(length);
    },
  });

  return {
    port: {
      openLog: async (path, create) => wrap(path, await nodeFiles.openLog(path, create)),
      filesystemType: async (path) => type ?? (await nodeFiles.filesystemType(path)),
    },
    failWrites: () => void (fails.write = true),
    failFlushes: () => void (fails.flush = true),
    failTruncates: () => void (fails.truncate = true),
    standOn: (magic) => void (type = magic),
    heal: () => void Object.assign(fails, { write: false, flush: false, truncate: false }),
    flushed,
    get flushes() {
      return flushes;
    },
  };
}
