// The agent of the demo as a process of its own, which can be killed: `tidemark … --json`, read line by line.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { SessionEvent } from '@tidemark/kit';

import { ownFile } from '../frame/own-file.ts';

/** Where it works. */
export interface Workplace {
  /** The folder of the project. */
  readonly project: string;
  readonly home: string;
  readonly url: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Its aborting ends the agent. */
  readonly signal: AbortSignal;
}

/** How it ended. */
export interface ProcessEnd {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What went wrong, in its own words. */
  readonly complaints: string;
}

/** A running agent. */
export interface AgentProcess {
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
}

/** A line of it: an event, or how the turn ended. */
type ProcessLine =
  | SessionEvent
  | { readonly type: 'session.opened' }
  | { readonly type?: undefined; readonly error?: { readonly message: string } };

const COMMAND = ownFile('bin/tidemark.cjs');

/** Starts it; each event is told as it comes. */
export function startAgent(
  args: readonly string[],
  { project, home, url, environment, signal: stop }: Workplace,
  tell: (event: SessionEvent) => void,
): AgentProcess {
  const child = spawn(
    process.execPath,
    [COMMAND, ...args, '--json', '--mode', 'auto', '--unconfined', '--trust', '--base-url', url],
    {
      cwd: project,
      // What the user has set is not for the demo.
      env: { ...environment, HOME: home, TIDEMARK_HOME: home, XDG_CONFIG_HOME: home, ANTHROPIC_API_KEY: 'simulated' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const kill = (): void => void child.kill('SIGKILL');
  // Before its folder is removed.
  process.prependListener('exit', kill);
  stop.addEventListener('abort', kill);
  child.once('close', () => {
    process.off('exit', kill);
    stop.removeEventListener('abort', kill);
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const said: ProcessLine = JSON.parse(line);
    if (said.type === undefined) complaints += said.error?.message ?? '';
    else if (said.type !== 'session.opened') tell(said);
  });
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([[exit, signal]]): ProcessEnd => ({
    exit,
    signal,
    complaints,
  }));
  return { ended, kill };
}
