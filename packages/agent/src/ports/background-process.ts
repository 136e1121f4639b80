// Types of background processes: programs that a call started and that continue to run after the call.

import type { ProcessEnded, ProcessStarted, Timestamp } from '@tidemark/log';

/** Name of the context source that notes the background processes. */
export const PROCESSES = 'processes';

/** A background process in the form in which the log of its session records it. */
export interface LoggedProcess extends ProcessStarted {
  /** Its end. Absent while it runs. */
  readonly ended?: ProcessEnded;
}

/** A background process of an open session. */
export interface BackgroundProcess {
  /** Id in the session, such as `p1`. */
  readonly id: string;
  readonly command: string;
  readonly startedAt: Timestamp;
  /** Bytes that the process has written so far. */
  readonly bytes: number;
  /** True while the process runs. */
  readonly running: boolean;
  readonly endedAt?: Timestamp;
  /** Exit code. Absent while the process runs, and if a signal ended it. */
  readonly exit?: number;
  readonly signal?: string;
}

/** A part of the output of a background process, with its secrets masked. */
export interface ProcessOutput {
  readonly text: string;
  /**
   * Offset in bytes with which the next call of `read` continues. If the last line is incomplete, it is in `text`, and
   * the next call returns it again.
   */
  readonly next: number;
  /** Bytes that were not kept, because the process wrote too much. A line in `text` marks their place. */
  readonly dropped: number;
  readonly process: BackgroundProcess;
}

/** Background processes of one session, for the program that opened it. */
export interface SessionProcesses {
  /** Returns the running processes, and the latest ones that ended while the session is open. */
  list(): readonly BackgroundProcess[];
  /**
   * Returns the output of a process from an offset in bytes, by default from the beginning. Only the first and the last
   * part of a long output are kept. Returns `undefined` for an unknown id.
   */
  read(id: string, from?: number): Promise<ProcessOutput | undefined>;
  /**
   * Ends a process and everything that it started. Returns when it has ended. Returns `undefined` for an unknown id, and
   * does nothing to a process that has already ended.
   */
  stop(id: string): Promise<BackgroundProcess | undefined>;
}
