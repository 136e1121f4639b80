// The operating system with faults: a write that fails half-way, a flush that fails, and what a power loss leaves.

import type { FilePort, LogFile } from '../src/file-port.ts';
import { nodeFiles } from '../src/file-port.ts';

/** A file port whose faults can be switched. */
export interface FaultyFiles {
  readonly port: FilePort;
  /** From now on half of each write arrives, then the disk is full. */
  failWrites(): void;
  failFlushes(): void;
  /** The tail of a failed write cannot be cut. */
  failTruncates(): void;
  /** Each file stands on this type of file system. */
  standOn(type: number): void;
  heal(): void;
  /** Bytes of each path that a flush has covered. */
  readonly flushed: ReadonlyMap<string, number>;
  /** How many flushes reached the disk. */
  readonly flushes: number;
}

/** No faults yet. */
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
