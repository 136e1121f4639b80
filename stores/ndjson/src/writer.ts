// Storage of a writer: the log file and the lock of one session. A failed write is undone. After a failed flush nothing
// is truncated.

import type { LogErrorCode, SessionId, Tip, WriterStorage } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { LogFile } from './file-port.ts';
import type { Waypoints } from './home.ts';
import type { Lease } from './lease.ts';

/** The parts of the storage. The caller has opened and checked all of them. */
export interface OpenedFiles {
  readonly session: SessionId;
  readonly path: string;
  readonly file: LogFile;
  readonly lease: Lease;
  readonly waypoints: Waypoints;
  /** Length of the file in bytes: the end of its last record. */
  readonly size: number;
}

/** Returns the storage for the writer of a session. */
export function createFileStorage({ session, path, file, lease, waypoints, size: end }: OpenedFiles): WriterStorage {
  let size = end;
  const fault = (code: LogErrorCode, tip: Tip, what: string, cause?: unknown): LogError => {
    const message = `${path} ${what}. This writer accepts no more records; close it, check the disk, and open the session again.`;
    return new LogError(code, message, { session, path, length: tip.length }, cause);
  };
  const rollBack = async (): Promise<string> => {
    try {
      await file.truncate(size);
      return 'the file has its previous length again';
    } catch (error) {
      return `its incomplete end could not be removed (${reasonOf(error)}), and the next writer will remove it`;
    }
  };
  return {
    async write({ lines, tip }, before) {
      const found = await file.size();
      if (found !== size) {
        const what = found === -1 ? 'was removed' : `is ${found} bytes long, but its writer left it at ${size} bytes`;
        throw fault('log/moved', before, `${what}: another program changed it. Nothing was written`);
      }
      try {
        await file.append(lines);
      } catch (cause) {
        const what = `could not be written (${reasonOf(cause)}); ${await rollBack()}`;
        throw fault('log/write-failed', before, what, cause);
      }
      size += lines.length;
      waypoints.learn(session, { length: tip.length, offset: size });
    },
    async flush(tip) {
      try {
        await file.flush();
      } catch (cause) {
        const what = `could not be flushed (${reasonOf(cause)}); records appended since the last flush may not be on the disk`;
        throw fault('log/flush-failed', tip, what, cause);
      }
    },
    async release() {
      await file.close();
      lease.release();
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
