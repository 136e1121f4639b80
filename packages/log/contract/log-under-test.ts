// Test harness that a store passes to the contract suite: the store itself, and functions that damage it or make it
// fail.

import type { Digest, SessionId } from '../src/ids.ts';
import type { Log } from '../src/port.ts';

/** An empty store, and functions that damage it. */
export interface LogUnderTest {
  readonly log: Log;
  /**
   * Opens the same storage again in the way in which another process opens it. No data of the first instance is cached.
   */
  reopen(): Log;
  /** Functions that read and replace the bytes of a session's own log. Absent if the store does not keep lines. */
  readonly lines?: {
    read(session: SessionId): Promise<Uint8Array>;
    write(session: SessionId, bytes: Uint8Array): Promise<void>;
  };
  /** Changes one byte of the stored artifact. */
  damageArtifact(digest: Digest): Promise<void>;
  damageSnapshot(session: SessionId): Promise<void>;
  removeSession(session: SessionId): Promise<void>;
  /**
   * Functions that make writes or flushes fail until `heal` is called. Absent if the store cannot simulate failures.
   */
  readonly faults?: {
    failWrites(): void;
    failFlushes(): void;
    heal(): void;
  };
  dispose(): Promise<void>;
}

/** Creates a fresh store for one test. */
export type LogFactory = () => Promise<LogUnderTest>;
