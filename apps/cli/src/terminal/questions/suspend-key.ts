// Ctrl-Z: gives the terminal back to the shell and stops the process. After `fg`, the screen is drawn again.

import { useApp, useInput } from 'ink';

/** Time after which a process that was not stopped takes the terminal again, in milliseconds. */
const NOT_STOPPED_MS = 500;

/** Stops the process at Ctrl-Z. `stop` resolves when the process continues. */
export function SuspendKey({ stop = stopProcess }: { readonly stop?: () => Promise<void> }): null {
  const { suspendTerminal } = useApp();
  useInput((input, key) => {
    // A second Ctrl-Z while the terminal is given back has no effect.
    if (key.ctrl && input === 'z') suspendTerminal(stop).catch(() => undefined);
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
