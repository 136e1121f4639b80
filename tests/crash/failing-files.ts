// The operating system, failing from the nth call of one kind on. What a power loss would leave is known: the bytes that a
// returned flush has covered.

import { LogError } from '@tidemark/log';
import type { Artifacts } from '@tidemark/log';
import { nodeFiles } from '@tidemark/store-ndjson';
import type { FilePort, LogFile } from '@tidemark/store-ndjson';

/**
 * `full-disk`: half of an append arrives. `stuck-disk`: nor can that half be cut. `failing-flush`: the bytes may be lost.
 * `full-shelf`: an artifact is not taken.
 */
export type FileFault = 'full-disk' | 'stuck-disk' | 'failing-flush' | 'full-shelf';

/** A port that fails at its call number `at` of the kind that the fault strikes, and for ever after. */
export interface FailingFiles {
  readonly port: FilePort;
  /** The same of a store's artifacts. */
  shelf(artifacts: Artifacts): Artifacts;
  /** Whether the fault was reached. */
  readonly struck: boolean;
  /** Bytes of each log that are on stable storage. */
  readonly flushed: ReadonlyMap<string, number>;
}

const STRIKES_APPENDS: ReadonlySet<FileFault> = new Set(['full-disk', 'stuck-disk']);

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
