// Stops the process at Ctrl-Z, until the shell continues it.

import { spawn } from 'node:child_process';

/**
 * Stops every process of this job, as the terminal does at Ctrl-Z. A shell of this job sends the signal: if a process
 * signals itself, Node first does the work of its end, such as storing the compiled code, which can take seconds.
 * Without a shell that could continue the job, the system does not stop it. The sender then ends at once, and the
 * promise resolves.
 */
export function stopProcess(): Promise<void> {
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
