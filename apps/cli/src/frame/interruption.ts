// Ctrl-C, counted once for each time it was pressed. A terminal sends it to every process in the foreground: to this one, and
// to the shim that started this one under an older Node. The shim forwards its own through a pipe, so the two can be compared.

import type { Readable } from 'node:stream';

/** Where interrupts come from, and what they do. */
export interface InterruptSources {
  /** Emits `SIGINT`: the process. */
  readonly signals: { on(name: 'SIGINT', listener: () => void): unknown };
  /** From the shim: one byte for each SIGINT that it got. It ends when the shim does. */
  readonly shim?: Readable | undefined;
  /** Asks the command to end by itself. Called once. */
  readonly interrupt: () => void;
  /** Ends the process. Called at the second Ctrl-C. */
  readonly end: () => void;
}

/** Calls `interrupt` at the first Ctrl-C and where the shim is gone, and `end` at the second Ctrl-C. */
export function watchInterrupts({ signals, shim, interrupt, end }: InterruptSources): void {
  let received = 0;
  let forwarded = 0;
  let interrupted = false;
  const take = (): void => {
    // The same Ctrl-C arrives by both ways, in any order: the larger number is how often it was pressed.
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
