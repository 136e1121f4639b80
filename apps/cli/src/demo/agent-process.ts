// The agent of the demo as a process of its own, which can be killed: `tidemark … --json`, read line by line.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { SessionEvent } from '@tidemark/kit';

/** Where it works. */
export interface Workplace {
  /** The folder of the project. */
  readonly project: string;
  readonly home: string;
  readonly url: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How it ended. */
export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it said on stderr. */
  readonly complaints: string;
}

/** A running agent. */
export interface AgentProcess {
  readonly ended: Promise<Ended>;
  kill(): void;
}

const COMMAND = fileURLToPath(new URL('../../bin/tidemark.cjs', import.meta.url));

/** Starts it; each event is told as it comes. */
export function startAgent(
  args: readonly string[],
  { project, home, url, environment }: Workplace,
  tell: (event: SessionEvent) => void,
): AgentProcess {
  const child = spawn(
    process.execPath,
    [COMMAND, ...args, '--json', '--mode', 'auto', '--unconfined', '--base-url', url],
    {
      cwd: project,
      // What the user has set is not for the demo.
      env: { ...environment, TIDEMARK_HOME: home, XDG_CONFIG_HOME: home, ANTHROPIC_API_KEY: 'simulated' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const event: SessionEvent | { readonly type: 'session.opened' } | { readonly type?: undefined } = JSON.parse(line);
    if (event.type !== undefined && event.type !== 'session.opened') tell(event);
  });
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([[exit, signal]]): Ended => ({
    exit,
    signal,
    complaints,
  }));
  return { ended, kill: () => void child.kill('SIGKILL') };
}
