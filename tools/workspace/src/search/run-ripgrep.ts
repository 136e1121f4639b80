// ripgrep as a process: its records one by one, bounded in length and time, and ended as soon as nobody wants more.

import { spawn } from 'node:child_process';
import { WorkspaceError } from '../workspace-error.ts';
import { splitRecords } from './split-records.ts';

/** One run. */
export interface RipgrepRun {
  readonly args: readonly string[];
  readonly folder: string;
  /** What ends a record: a line end, or NUL. */
  readonly delimiter: number;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  /** Takes a record; `undefined` is one that was too long to keep. False: enough. */
  each(record: string | undefined): boolean;
}

/** How a run ended. */
export interface RipgrepEnd {
  /** 0 found, 1 nothing, 2 something went wrong; `undefined` when it was ended. */
  readonly code: number | undefined;
  /** What it complained of, at most 8 KiB. */
  readonly complaint: string;
  readonly stopped: 'enough' | 'timeout' | undefined;
}

const MOST_RECORD_BYTES = 1024 * 1024;
const MOST_COMPLAINT = 8 * 1024;

/** @throws WorkspaceError `workspace/no-ripgrep`; the signal's reason when it aborts. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  run.signal.throwIfAborted();
  const late = AbortSignal.timeout(run.patienceMs);
  const child = spawn(await ripgrepPath(), ['--no-config', ...run.args], {
    cwd: run.folder,
    // Sorting and colours depend on none of the user's settings; the home holds the user's global ignore file.
    env: { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'], LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? undefined));
  });
  closed.catch(() => undefined);
  const kill = (): void => void child.kill('SIGKILL');
  const stop = AbortSignal.any([run.signal, late]);
  stop.addEventListener('abort', kill, { once: true });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, MOST_COMPLAINT);
  });
  const enough = await takeRecords(child.stdout, run).finally(() => {
    stop.removeEventListener('abort', kill);
    kill();
  });
  const code = await closed.catch(notStarted);
  run.signal.throwIfAborted();
  return { code, complaint, stopped: enough ? 'enough' : late.aborted ? 'timeout' : undefined };
}

/** Whether there was more to come. */
async function takeRecords(stream: AsyncIterable<unknown>, { delimiter, each }: RipgrepRun): Promise<boolean> {
  for await (const record of splitRecords(stream, delimiter, MOST_RECORD_BYTES)) if (!each(record)) return true;
  return false;
}

/** Asked for when it is first needed: the package throws where it has no binary, and no other tool depends on that. */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (cause) {
    return notStarted(cause);
  }
}

function notStarted(cause: unknown): never {
  const message =
    'ripgrep cannot be run here: its package has no program for this platform, or was installed without optional ' +
    'dependencies. Search with `bash`, and tell the user to run `npm install` again.';
  throw new WorkspaceError('workspace/no-ripgrep', message, { platform: process.platform, arch: process.arch }, cause);
}
