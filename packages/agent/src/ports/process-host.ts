// Port of the host of background processes. The host starts and ends the processes. The runtime records this in the log
// of their session, and closes them with the session.

import type { ProcessEnded, ProcessStarted, SessionId, Timestamp } from '@tidemark/log';
import type { SessionProcesses } from './background-process.ts';
import type { Secrets } from './secrets.ts';
import type { Notice } from './session-event.ts';

/** Runs the background processes of any number of sessions. */
export interface ProcessHost {
  /** Begins to serve an open session. Until then, no process can be started in it. */
  open(session: SessionId, sink: ProcessSink): HostedProcesses;
  /** Returns true if this process of the session runs in this host. */
  isRunning(session: SessionId, process: string): boolean;
}

/** Receives the events of the processes of one session. */
export interface ProcessSink {
  readonly secrets: Pick<Secrets, 'maskPart'>;
  /** Highest number of an id that the session has used. The ids of further processes are higher. */
  readonly last: number;
  now(): Timestamp;
  /** Records a start. The process is ended if this fails. */
  started(process: ProcessStarted): Promise<void>;
  /** Records an end. Never fails. */
  ended(process: ProcessEnded): Promise<void>;
  /** Reports that the list of processes has changed. */
  changed(): void;
  notice(notice: Notice): void;
}

/** Processes of one open session. */
export interface HostedProcesses extends SessionProcesses {
  /** Ends all processes of the session and everything that they started. Returns when they have ended. */
  close(): Promise<void>;
}
