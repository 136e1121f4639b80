// Runs the demo's agent, `tidemark … --json`, as a separate process that can be killed. Reads its output line by line.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { SessionEvent } from '@tidemark/kit';

import { ownFile } from '../frame/own-file.ts';

/** Folders, address and environment that the agent process uses. */
export interface Workplace {
  /** Folder of the sample project. */
  readonly project: string;
  readonly home: string;
  readonly url: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Kills the agent when it aborts. */
  readonly signal: AbortSignal;
}

/** Result of an agent process that has ended. */
export interface ProcessEnd {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Text from stderr, and the messages of reported errors. */
  readonly complaints: string;
}

/** Running agent process. */
export interface AgentProcess {
  readonly ended: Promise<ProcessEnd>;
  kill(): void;
}

/**
 * One line of the agent's JSON output: an event, the message that the session was opened, or the result of the turn.
 */
type ProcessLine =
  | SessionEvent
  | { readonly type: 'session.opened' }
  | { readonly type?: undefined; readonly error?: { readonly message: string } };

const COMMAND = ownFile('bin/tidemark.cjs');

/** Starts the agent and calls `tell` with each event as it arrives. */
export function startAgent(
  args: readonly string[],
  { project, home, url, environment, signal: stop }: Workplace,
  tell: (event: SessionEvent) => void,
): AgentProcess {
  const child = spawn(
    process.execPath,
    [COMMAND, ...args, '--json', '--mode', 'auto', '--allow-unsandboxed', '--trust', '--base-url', url],
    {
      cwd: project,
      // The user's own settings must not affect the demo.
      env: { ...environment, HOME: home, TIDEMARK_HOME: home, XDG_CONFIG_HOME: home, ANTHROPIC_API_KEY: 'simulated' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const kill = (): void => void child.kill('SIGKILL');
  // This listener runs before the other `exit` listeners, so the agent is killed before its folder is removed.
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
    const message: ProcessLine = JSON.parse(line);
    if (message.type === undefined) complaints += message.error?.message ?? '';
    else if (message.type !== 'session.opened') tell(message);
  });
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(([[exit, signal]]): ProcessEnd => ({
    exit,
    signal,
    complaints,
  }));
  return { ended, kill };
}
