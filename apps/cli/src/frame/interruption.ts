// Counts every press of Ctrl-C as one interrupt. A terminal sends Ctrl-C to every process in the foreground: to this
// process, and to the shim that started it under an older Node. The shim also forwards its signals through a pipe. This
// module compares both counts.

import type { Readable } from 'node:stream';

/** Sources of interrupts, and the functions to call for them. */
export interface InterruptSources {
  /** Source of `SIGINT` events, normally `process`. */
  readonly signals: { on(name: 'SIGINT', listener: () => void): unknown };
  /** Pipe from the shim, with one byte for each SIGINT that the shim received. The pipe ends when the shim ends. */
  readonly shim?: Readable | undefined;
  /** Asks the command to end. Called only one time. */
  readonly interrupt: () => void;
  /** Ends the process. Called at the second Ctrl-C. */
  readonly end: () => void;
}

/** Calls `interrupt` at the first Ctrl-C or when the shim ends, and calls `end` at the second Ctrl-C. */
export function watchInterrupts({ signals, shim, interrupt, end }: InterruptSources): void {
  let received = 0;
  let forwarded = 0;
  let interrupted = false;
  const take = (): void => {
    // With a shim, one Ctrl-C arrives two times: as a signal and through the pipe, in any order. The larger count is
    // the number of presses.
    const presses = Math.max(received, forwarded);
    if (presses > 1) end();
    else if (!interrupted) interrupt();
    interrupted = true;
  };
  signals.on('SIGINT', () => {
    received += 1;
    take();
  });
  shim?.on('data', (bytes: Uint8Array) => {
    forwarded += bytes.length;
    take();
  });
  const gone = (): void => {
    if (!interrupted) interrupt();
    interrupted = true;
  };
  shim?.on('end', gone).on('error', gone);
}
