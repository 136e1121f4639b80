// Guards the process while the screen is shown: a signal or an unexpected error ends the terminal in order, so that the
// shell gets its terminal back as it was.

import { constants } from 'node:os';

/** End of the terminal that the user did not ask for. */
export interface ForcedEnd {
  /** Exit code of the process after a signal. */
  readonly exit?: number;
  /** Error that ended the terminal. */
  readonly error?: Error;
}

/** Events of a process, normally `process`. */
export interface ProcessEvents {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
}

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;
const ERRORS = ['uncaughtException', 'unhandledRejection'] as const;

/** Calls `end` at a signal and at an error that no code caught, until the returned function is called. */
export function guardProcess(events: ProcessEvents, end: (forced: ForcedEnd) => void): () => void {
  const crash = (thrown: unknown): void => end(endBy(thrown));
  const listeners = [
    ...SIGNALS.map((name) => [name, () => end({ exit: 128 + constants.signals[name] })] as const),
    ...ERRORS.map((name) => [name, crash] as const),
  ];
  for (const [name, listener] of listeners) events.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) events.off(name, listener);
  };
}

/** Returns the end that a thrown value causes. */
export function endBy(thrown: unknown): ForcedEnd {
  return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
}
