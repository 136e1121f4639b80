// Test helper: background processes of one session in a temporary folder, with the tools that a model calls and a sink
// that collects what the log would record.

import type { HostedProcesses, Notice, Tool, ToolContext } from '@tidemark/agent';
import { createSecrets } from '@tidemark/agent';
import type { ProcessEnded, ProcessStarted } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Background, BackgroundOptions } from '../src/background/create-background.ts';
import { createBackground } from '../src/background/create-background.ts';
import { createProcessTool } from '../src/background/process-tool.ts';
import { createBashTool } from '../src/bash/bash-tool.ts';
import { createConfinement } from '../src/confine/confine.ts';
import { NO_HISTORY } from './history-of.ts';

/** Result of one call: the streamed output and the text, or the error that it threw. */
export interface Called {
  readonly text: string;
  readonly failed: boolean;
}

/** An open session with background processes. */
export interface BackgroundBench {
  readonly folder: string;
  readonly background: Background;
  readonly processes: HostedProcesses;
  readonly started: ProcessStarted[];
  readonly ended: ProcessEnded[];
  readonly notices: Notice[];
  bash(command: string, more?: object, signal?: AbortSignal): Promise<Called>;
  process(input: {
    readonly process: string;
    readonly action: string;
    readonly [name: string]: unknown;
  }): Promise<Called>;
}

interface BenchOptions extends Partial<BackgroundOptions> {
  readonly secret?: string;
  readonly session?: string;
  readonly last?: number;
  /** Makes the record of a start fail. */
  readonly refuses?: boolean;
}

/** Opens a session. It is closed when the test ends. */
export function openBackground({
  secret,
  session: name = 'session-1',
  last = 0,
  refuses = false,
  ...options
}: BenchOptions = {}): BackgroundBench {
  const folder = options.folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-background-')));
  const background = createBackground({
    sandbox: 'never',
    patience: { termMs: 200, drainMs: 200 },
    ...options,
    folder,
  });
  const [started, ended, notices]: [ProcessStarted[], ProcessEnded[], Notice[]] = [[], [], []];
  const session = sessionId(name);
  const processes = background.open(session, {
    secrets: createSecrets({ values: secret === undefined ? [] : [{ name: 'TOKEN', value: secret }] }),
    last,
    now: () => timestamp(new Date().toISOString()),
    started: async (data) => {
      if (refuses) throw new Error('the disk is full');
      started.push(data);
    },
    ended: async (data) => void ended.push(data),
    changed: () => undefined,
    notice: (notice) => void notices.push(notice),
  });
  onTestFinished(async () => {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const confinement = createConfinement({ folder });
  const tools = { bash: createBashTool(confinement, { background }), process: createProcessTool(background) };
  const call = async (tool: Tool, input: object, signal?: AbortSignal): Promise<Called> => {
    const forwarded = tool.forward?.(input) ?? { tool, input };
    if ('problem' in forwarded) return { text: forwarded.problem, failed: true };
    const run = await forwarded.tool.read(forwarded.input);
    if ('problem' in run) return { text: run.problem, failed: true };
    const chunks: Uint8Array[] = [];
    const context = contextOf(session, async (chunk) => void chunks.push(Buffer.from(chunk)), signal);
    try {
      const { text = '', failed = false } = await run.run(context);
      return { text: Buffer.concat(chunks).toString() + text, failed };
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), failed: true };
    }
  };
  return {
    folder,
    background,
    processes,
    started,
    ended,
    notices,
    bash: (command, more = {}, signal) => call(tools.bash, { command, ...more }, signal),
    process: (input) => call(tools.process, input),
  };
}

function contextOf(
  session: ToolContext['session'],
  write: ToolContext['write'],
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  return {
    session,
    call: callId('call-1'),
    notice: () => undefined,
    signal,
    write,
    progress: () => undefined,
    mask: async (text) => text,
    fileSeen: () => undefined,
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    output: () => undefined,
    history: NO_HISTORY,
  };
}
