// Ctrl-Z: gives the terminal back to the shell and stops the process. After `fg`, the screen is drawn again.

import { spawn } from 'node:child_process';

import { useInput } from 'ink';

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
 * Stops every process of this job, as the terminal does at Ctrl-Z. A shell of this job sends the signal: if a process
 * signals itself, Node first does the work of its end, such as storing the compiled code, which can take seconds.
 * Without a shell that could continue the job, the system does not stop it. The sender then ends at once, and the
 * promise resolves.
 */
function stopProcess(): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      process.off('SIGCONT', over);
      resolve();
    };
    process.on('SIGCONT', over);
    const sender = spawn('/bin/sh', ['-c', 'kill -s TSTP 0'], { stdio: 'ignore' });
    sender.on('exit', over);
    sender.on('error', over);
  });
}
