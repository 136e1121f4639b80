// Ctrl-Z: gives the terminal back to the shell and stops the process. After `fg`, the screen is drawn again.

import { useInput } from 'ink';

/** Time after which a process that was not stopped takes the terminal again, in milliseconds. */
const NOT_STOPPED_MS = 500;

/** Properties of the key. `suspend` gives the terminal away until the action ends. */
export interface SuspendKeyProperties {
  readonly suspend: (action: () => Promise<void>) => Promise<void>;
  readonly stop?: () => Promise<void>;
}

/** Stops the process at Ctrl-Z. `stop` resolves when the process continues. */
export function SuspendKey({ suspend, stop = stopProcess }: SuspendKeyProperties): null {
  useInput((input, key) => {
    // A second Ctrl-Z while the terminal is given back has no effect.
    if (key.ctrl && input === 'z') suspend(stop).catch(() => undefined);
  });
  return null;
}

/**
 * Stops every process of this job, as the terminal does at Ctrl-Z. Without a shell that could continue it, the system
 * does not stop the job. The promise then resolves after a short time.
 */
function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      process.off('SIGCONT', over);
      resolve();
    };
    const timer = setTimeout(over, NOT_STOPPED_MS);
    process.on('SIGCONT', over);
    process.kill(0, 'SIGTSTP');
  });
}
