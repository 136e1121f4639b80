// Communicates with a child process line by line.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A child process that answers each line of input with a line of output. */
export interface Child {
  ask(line: string): Promise<string>;
  tell(line: string): void;
  /** Returns the next line that the process prints, or `gone` if its output has ended. */
  hear(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Kills the process and waits until it has exited. */
  kill(): Promise<void>;
}

/** Starts a process, for example one that runs `answerLines`. */
export function startChild(command: string, args: readonly string[]): Child {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const hear = async (): Promise<string> => {
    const line = await lines.next();
    return line.done === true ? 'gone' : line.value;
  };
  return {
    tell: (line) => void child.stdin.write(`${line}\n`),
    hear,
    ask(line) {
      child.stdin.write(`${line}\n`);
      return hear();
    },
    signal: (name) => void child.kill(name),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await gone;
    },
  };
}
