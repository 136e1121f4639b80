// Host of the background processes of a workspace: starts them for the `bash` tool, and keeps them while their session is
// open.

import type {
  BackgroundProcess,
  HostedProcesses,
  ProcessHost,
  ProcessOutput,
  ProcessSink,
  ToolContext,
  ToolOutput,
} from '@tidemark/agent';
import type { ProcessEnded, SessionId } from '@tidemark/log';
import type { BackgroundStart, BackgroundStarter } from '../bash/background-starter.ts';
import type { Shell, ShellOptions } from '../bash/shell.ts';
import { openShell } from '../bash/shell.ts';
import { realOf } from '../sandbox/hidden-paths.ts';
import type { CommandReach } from '../sandbox/sandbox.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { describeProcess, describeStart } from './describe-process.ts';
import type { EndPatience, HostedProcess } from './hosted-process.ts';
import { startHosted } from './hosted-process.ts';
import { showOutput } from './show-output.ts';
import { waitForOutput, waitUntilQuiet } from './wait-for-output.ts';

/** Options of `createBackground`. */
export interface BackgroundOptions extends ShellOptions {
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** Maximum number of processes of a session that run at the same time. Default: 8. */
  readonly most?: number;
  /** Waiting times in milliseconds. The time from SIGTERM to SIGKILL has the default 2,000. */
  readonly patience?: Partial<EndPatience>;
}

/** Background processes of a workspace. Pass the same object to the tools, to the context source and to the runtime. */
export interface Background extends ProcessHost, BackgroundStarter {
  /** Returns a process of any session by its id, which is unique in this host. */
  find(id: string): FoundProcess | undefined;
  /**
   * Returns the new output of a process for the model, with a line about its state.
   *
   * @throws WorkspaceError `workspace/no-process`.
   */
  read(id: string, waitMs: number, context: ToolContext): Promise<ToolOutput>;
  /** Sends text to the input of a process, and returns its new output. Without text, closes the input. */
  write(id: string, text: string | undefined, context: ToolContext): Promise<ToolOutput>;
  /** Ends a process, and returns its last output. */
  stop(id: string, context: ToolContext): Promise<ToolOutput>;
  /** Returns true if a result has informed the model about the current state of this process. */
  isReported(session: string, id: string): boolean;
}

/** A process, and the session that it belongs to. */
export interface FoundProcess {
  readonly session: string;
  readonly command: string;
  readonly reach: CommandReach;
  readonly running: boolean;
}

/** Maximum number of background processes of a session, if no other number is set. */
const MOST_PROCESSES = 8;

/** Ended processes of a session whose output can still be read. */
const MOST_ENDED = 16;

/** Time that a start waits for the first output or an early end, and a write for an answer, in milliseconds. */
const EARLY_MS = 1_000;

interface ServedSession {
  readonly id: string;
  readonly sink: ProcessSink;
  readonly processes: Map<string, ReadProcess>;
  readonly removeTemp: () => Promise<void>;
  /** Starts that have not ended yet. They count towards the maximum. */
  starting: number;
  isClosed: boolean;
}

interface ReadProcess {
  readonly hosted: HostedProcess;
  /** Offset up to which the model has read the output. */
  offset: number;
  /** Size of the output when the model last read it. An incomplete last line counts, although it is shown again. */
  seen: number;
  /** Latest state that a result reported to the model. */
  reported: 'nothing' | 'start' | 'end';
}

/**
 * Creates the host of a workspace. It starts nothing.
 *
 * @throws WorkspaceError `workspace/secret-variable` when `options.variables` contains the name of a secret.
 */
export function createBackground(options: BackgroundOptions): Background {
  const shell = openShell(realOf(options.folder) ?? options.folder, options);
  const { most = MOST_PROCESSES } = options;
  const patience = { termMs: 2_000, drainMs: 1_000, ...options.patience };
  const sessions = new Map<string, ServedSession>();
  const host: HostState = { shell, most, patience, sessions, last: 0 };
  return {
    shell,
    most,
    open: (session, sink) => openServed(host, session, sink),
    isRunning: (session, id) => sessions.get(session)?.processes.get(id)?.hosted.view().running ?? false,
    isReported(session, id) {
      const held = sessions.get(session)?.processes.get(id);
      return held !== undefined && held.reported === (held.hosted.view().running ? 'start' : 'end');
    },
    find: (id) => findIn(sessions, id),
    async start(asked, context) {
      const [own, id, held] = await startIn(host, asked, context);
      await waitUntilQuiet(held.hosted, { mostMs: EARLY_MS, signal: context.signal });
      return report(own, held, context, describeStart(id, asked.reach, shell));
    },
    async read(id, waitMs, context) {
      const [own, held] = processFor(sessions, id, context.session);
      await waitForOutput(held.hosted, held.seen, { mostMs: waitMs, signal: context.signal });
      return report(own, held, context);
    },
    async write(id, text, context) {
      const [own, held] = processFor(sessions, id, context.session);
      if (!held.hosted.write(text === undefined ? undefined : Buffer.from(text))) throw notWritable(id, held);
      await waitUntilQuiet(held.hosted, { mostMs: EARLY_MS, signal: context.signal });
      return report(own, held, context);
    },
    async stop(id, context) {
      const [own, held] = processFor(sessions, id, context.session);
      const wasRunning = held.hosted.view().running;
      await held.hosted.stop('model');
      return report(own, held, context, wasRunning ? [] : [`${id} had already ended`]);
    },
  };
}

interface HostState {
  readonly shell: Shell;
  readonly most: number;
  readonly patience: EndPatience;
  readonly sessions: Map<string, ServedSession>;
  /** Highest number of an id. */
  last: number;
}

function openServed(host: HostState, session: SessionId, sink: ProcessSink): HostedProcesses {
  host.last = Math.max(host.last, sink.last);
  const removeTemp = host.shell.openTemp(session);
  const own: ServedSession = { id: session, sink, processes: new Map(), removeTemp, starting: 0, isClosed: false };
  host.sessions.set(session, own);
  return serve(own, () => host.sessions.delete(session));
}

function findIn(sessions: ReadonlyMap<string, ServedSession>, id: string): FoundProcess | undefined {
  for (const own of sessions.values()) {
    const found = own.processes.get(id)?.hosted;
    if (found !== undefined)
      return { session: own.id, command: found.command, reach: found.reach, running: found.view().running };
  }
  return undefined;
}

type StartedProcess = readonly [own: ServedSession, id: string, held: ReadProcess];

async function startIn(host: HostState, asked: BackgroundStart, context: ToolContext): Promise<StartedProcess> {
  const own = servedSession(host.sessions, context.session);
  requireRoom(own, host.most);
  own.starting += 1;
  try {
    const reach = { ...asked.reach, session: context.session };
    const entered = await host.shell.enter(asked.command, reach, own.sink);
    try {
      context.signal.throwIfAborted();
      requireOpen(own);
      host.last += 1;
      const id = `p${host.last}`;
      const { shell, patience } = host;
      const command = {
        id,
        command: asked.command,
        reach,
        entered,
        isSandboxed: shell.sandboxed,
        withheld: shell.withheld,
      };
      const hosted = await startHosted(command, context.call, { sink: own.sink, patience });
      return [own, id, await keep(own, id, hosted)];
    } catch (error) {
      await entered.leave();
      throw error;
    }
  } finally {
    own.starting -= 1;
  }
}

/** Adds a started process to its session. If the session was closed in the meantime, ends the process. */
async function keep(own: ServedSession, id: string, hosted: HostedProcess): Promise<ReadProcess> {
  const held: ReadProcess = { hosted, offset: 0, seen: 0, reported: 'nothing' };
  own.processes.set(id, held);
  if (own.isClosed) await hosted.stop('session');
  forgetOldest(own);
  own.sink.changed();
  return held;
}

function servedSession(sessions: ReadonlyMap<string, ServedSession>, session: string): ServedSession {
  const own = sessions.get(session);
  if (own !== undefined) return requireOpen(own);
  const message = 'this session can have no background processes: run the command in the foreground';
  throw new WorkspaceError('workspace/no-process', message);
}

function requireOpen(own: ServedSession): ServedSession {
  if (!own.isClosed) return own;
  throw new WorkspaceError('workspace/no-process', 'the session is closed, so nothing was started');
}

function requireRoom(own: ServedSession, most: number): void {
  const running = [...own.processes].filter(([, { hosted }]) => hosted.view().running).map(([id]) => id);
  if (running.length + own.starting < most) return;
  const message = `${most} background processes of this session run already (${running.join(', ')}), which is the maximum: stop one first`;
  throw new WorkspaceError('workspace/no-process', message, { most });
}

function processFor(
  sessions: ReadonlyMap<string, ServedSession>,
  id: string,
  session: SessionId,
): readonly [ServedSession, ReadProcess] {
  const own = sessions.get(session);
  const held = own?.processes.get(id);
  if (own !== undefined && held !== undefined) return [own, held];
  const known = [...(own?.processes.keys() ?? [])].join(', ');
  const next = known === '' ? 'it has none. Start one with bash and background: true' : `it has ${known}`;
  throw new WorkspaceError('workspace/no-process', `this session has no process ${id}: ${next}`, { process: id });
}

function notWritable(id: string, { hosted }: ReadProcess): WorkspaceError {
  const why = hosted.view().running
    ? 'its input is closed, or it does not read the input that was sent before. Read its output, or stop it and start it again'
    : 'it has ended. Read its last output, or start it again';
  return new WorkspaceError('workspace/no-process', `nothing can be sent to ${id}: ${why}`, { process: id });
}

/** Returns what the program that opened the session can do. */
function serve(own: ServedSession, forget: () => void): HostedProcesses {
  const stopAll = async (by: ProcessEnded['by']): Promise<void> => {
    await Promise.all([...own.processes.values()].map(({ hosted }) => hosted.stop(by)));
  };
  return {
    list: () => [...own.processes.values()].map(({ hosted }) => hosted.view()),
    async read(id, from = 0): Promise<ProcessOutput | undefined> {
      const held = own.processes.get(id);
      if (held === undefined) return undefined;
      const process = held.hosted.view();
      const { secrets } = own.sink;
      const shown = await showOutput(held.hosted.ring, from, { secrets, isOpen: process.running });
      return { ...shown, process };
    },
    async stop(id): Promise<BackgroundProcess | undefined> {
      const held = own.processes.get(id);
      await held?.hosted.stop('user');
      return held?.hosted.view();
    },
    async close() {
      own.isClosed = true;
      await stopAll('session');
      forget();
      await own.removeTemp();
    },
  };
}

function forgetOldest({ processes }: ServedSession): void {
  const ended = [...processes].filter(([, { hosted }]) => !hosted.view().running);
  for (const [id] of ended.slice(0, Math.max(0, ended.length - MOST_ENDED))) processes.delete(id);
}

/** Writes the output that the model has not read yet, and returns a line about the state of the process. */
async function report(
  { sink }: ServedSession,
  held: ReadProcess,
  context: ToolContext,
  lines: readonly string[] = [],
): Promise<ToolOutput> {
  context.signal.throwIfAborted();
  const process = held.hosted.view();
  const { secrets } = sink;
  const total = held.hosted.ring.total();
  const { text, next } = await showOutput(held.hosted.ring, held.offset, { secrets, isOpen: process.running });
  if (text !== '') await context.write(text);
  const state = describeProcess(process, { lines: [...lines, ...held.hosted.endLines()], hasOutput: text !== '' });
  held.offset = next;
  held.seen = total;
  held.reported = process.running ? 'start' : 'end';
  const apart = text === '' || text.endsWith('\n') ? '' : '\n';
  return { text: `${apart}${state}` };
}
