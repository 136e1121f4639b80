// Runs the `bash` tool in the real sandbox, with a temporary workspace. The workspace is not in `/tmp`, because the
// sandbox covers `/tmp`.

import type { Notice } from '@tidemark/agent';
import { callId, sessionId } from '@tidemark/log';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BashOptions } from '../src/bash/bash-tool.ts';
import { createBashTool } from '../src/bash/bash-tool.ts';
import { createConfinement } from '../src/confine/confine.ts';
import { findBubblewrap } from '../src/sandbox/bubblewrap.ts';
import { NO_HISTORY } from './history-of.ts';

/** Reason why tests of the sandbox are skipped. `undefined` if they can run. */
export const NO_SANDBOX: string | undefined =
  findBubblewrap('/') === undefined
    ? 'bubblewrap is not installed, or may make no namespaces here: `npm run setup:system` installs it'
    : undefined;

export interface SandboxedRun {
  readonly output: string;
  /** Text that was added after the output, for the model. */
  readonly text: string;
  readonly exit: number | undefined;
  readonly notices: readonly Notice[];
}

/** A workspace with a home and an outside folder next to it. */
export interface SandboxedBash {
  readonly folder: string;
  readonly home: string;
  readonly outside: string;
  run(
    command: string,
    input?: { readonly network?: boolean; readonly ports?: readonly number[] },
  ): Promise<SandboxedRun>;
}

/** Options of `openSandboxedBash`. */
export interface SandboxedSetting extends BashOptions {
  readonly session?: string;
  /** Path of an existing workspace to use instead of a new one. */
  readonly folder?: string;
  /** True if the home is the workspace itself and `PATH` ends with its folder `bin`. */
  readonly atHome?: boolean;
}

/**
 * Creates the workspace and its `bash` tool. The folders are removed when the test ends. Protected paths must be
 * relative to the workspace.
 */
export async function openSandboxedBash(setting: SandboxedSetting = {}): Promise<SandboxedBash> {
  const { session = 'session-1', atHome = false, folder: given, ...options } = setting;
  const root = await realpath(await mkdtemp('/var/tmp/tidemark-sandbox-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [home, outside] = [join(root, 'home'), join(root, 'outside')];
  const folder = given ?? join(root, 'work');
  for (const each of [folder, home, outside]) await mkdir(each, { recursive: true });
  const own = { PATH: `${process.env['PATH']}:${join(folder, 'bin')}`, HOME: folder };
  const environment = atHome ? own : { PATH: process.env['PATH'], HOME: home };
  const make = (): ReturnType<typeof createBashTool> =>
    createBashTool(createConfinement({ folder }), {
      environment,
      ...options,
      protectedPaths: (options.protectedPaths ?? []).map((name) => join(folder, name)),
    });
  let tool: ReturnType<typeof createBashTool> | undefined;
  return {
    folder,
    home,
    outside,
    async run(command, input = {}) {
      tool ??= make();
      const call = await tool.read({ command, ...input });
      if ('problem' in call) throw new Error(call.problem);
      const notices: Notice[] = [];
      const chunks: Uint8Array[] = [];
      const { text = '', exit } = await call.run({
        session: sessionId(session),
        call: callId('call-1'),
        signal: new AbortController().signal,
        write: async (chunk) => void chunks.push(Buffer.from(chunk)),
        progress: () => undefined,
        notice: (notice) => void notices.push(notice),
        mask: async (unmasked) => unmasked,
        fileSeen: () => undefined,
        skills: { preloaded: [], loaded: [] },
        room: () => ({ bytes: 51_200, lines: 2_000 }),
        output: () => undefined,
        history: NO_HISTORY,
      });
      return { output: Buffer.concat(chunks).toString(), text, exit, notices };
    },
  };
}

/** Creates a git repository. */
export function repositoryIn(folder: string): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '-q', folder]);
}
