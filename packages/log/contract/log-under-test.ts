// What a store hands to its contract suite: itself, and ways to treat it badly.

import type { Digest, SessionId } from '../src/ids.ts';
import type { Log } from '../src/port.ts';

/** A fresh, empty store. */
export interface LogUnderTest {
  readonly log: Log;
  /** Opens the same place once more, as another process would: nothing that the first has learned is known. */
  reopen(): Log;
  /** The bytes of a session's own log, where the store keeps lines. */
  readonly lines?: {
    read(session: SessionId): Promise<Uint8Array>;
    write(session: SessionId, bytes: Uint8Array): Promise<void>;
  };
  /** Changes one byte of what is kept. */
  damageArtifact(digest: Digest): Promise<void>;
  damageSnapshot(session: SessionId): Promise<void>;
  /** Takes a session away. */
  removeSession(session: SessionId): Promise<void>;
  /** Makes the medium refuse from now on, where it can. */
  readonly faults?: {
    failWrites(): void;
    failFlushes(): void;
    heal(): void;
  };
  dispose(): Promise<void>;
}

/** Makes a fresh store for one test. */
export type LogFactory = () => Promise<LogUnderTest>;
