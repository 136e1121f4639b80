// Runs ripgrep as a process and reads its records one by one. Limits the record length and the running time. When no
// more records are needed, ends the process.

import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { showName } from '../confine/show-name.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { watchIgnoreFiles } from './ignore-files.ts';
import { splitRecords } from './split-records.ts';

export interface RipgrepRun {
  readonly args: readonly string[];
  readonly folder: string;
  /** Path at which the search begins: `folder` itself or a path below it. */
  readonly root: string;
  /** Byte that ends a record: a line end or NUL. */
  readonly delimiter: number;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  /** Receives each record. If a record was too long to store, receives `undefined`. Returns false to end the run. */
  each(record: string | undefined): boolean | Promise<boolean>;
  /** Text that is searched instead of files, if the path in `args` is `-`. */
  readonly input?: string;
}

export interface RipgrepEnd {
  /** Exit code: 0 for matches, 1 for no match, 2 for an error. `undefined` if the process was killed. */
  readonly code: number | undefined;
  /** Error output of ripgrep, at most 8 KiB. */
  readonly complaint: string;
  readonly stopped: 'enough' | 'timeout' | 'memory' | undefined;
}

const MAX_RECORD_BYTES = 1024 * 1024;
const MAX_COMPLAINT = 8 * 1024;

/**
 * Maximum memory of a run, in KiB. Without this limit, an endless line or an endless ignore file would use all memory
 * of the machine.
 */
const MAX_MEMORY = 1024 * 1024;
/** Shell arguments that set the memory limit. `ulimit -v` has no effect on macOS and does not exist on Windows. */
const LIMITED = ['-c', `ulimit -v ${MAX_MEMORY} 2>/dev/null; exec "$0" "$@"`];

/**
 * Runs ripgrep until it ends, until no more records are needed, or until a limit is reached.
 *
 * @throws WorkspaceError `workspace/no-ripgrep` when ripgrep cannot start, and `workspace/not-a-file` when an ignore
 * file is a pipe or a device. Throws the reason of the signal when it aborts.
 */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  run.signal.throwIfAborted();
  const late = AbortSignal.timeout(run.patienceMs);
  const child = spawn(...commandOf(await ripgrepPath(), ['--no-config', '--no-mmap', ...run.args]), {
    cwd: run.folder,
    // Sorting and colours must not depend on the user's settings. The home is passed, because the user's global ignore
    // file is in it.
    env: { HOME: process.env['HOME'], XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'], LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // ripgrep can end before it reads all of the input.
  child.stdin.on('error', () => undefined).end(run.input);
  const closed = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? undefined));
  });
  closed.catch(() => undefined);
  const kill = (): void => void child.kill('SIGKILL');
  const stop = AbortSignal.any([run.signal, late]);
  stop.addEventListener('abort', kill, { once: true });
  const over = new AbortController();
  const watching = watchIgnoreFiles(run.root, AbortSignal.any([stop, over.signal])).then((watch) => {
    if (watch.waitedFor !== undefined) kill();
    return watch;
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, MAX_COMPLAINT);
  });
  const enough = await takeRecords(child.stdout, run).finally(() => {
    stop.removeEventListener('abort', kill);
    kill();
  });
  const code = await closed.catch(notStarted);
  run.signal.throwIfAborted();
  over.abort();
  const { waitedFor, devices, release } = await watching;
  await release();
  const endless = waitedFor ?? devices[0];
  if (endless !== undefined && code === undefined && !enough) throw wouldWait(endless, run.folder);
  return { code, complaint, stopped: enough ? 'enough' : late.aborted ? 'timeout' : memoryEnd(code, complaint) };
}

function commandOf(program: string, args: readonly string[]): [command: string, args: string[]] {
  return process.platform === 'win32' ? [program, [...args]] : ['/bin/sh', [...LIMITED, program, ...args]];
}

function memoryEnd(code: number | undefined, complaint: string): 'memory' | undefined {
  return code === undefined && complaint.includes('memory allocation') ? 'memory' : undefined;
}

function wouldWait(path: string, folder: string): WorkspaceError {
  const shown = showName(relative(folder, path));
  const message = `${shown} is a pipe or a device, and a search would wait for it. Nothing was searched. Remove it, or ask the user to remove it.`;
  return new WorkspaceError('workspace/not-a-file', message, { path: shown });
}

/**
 * If the time limit or the memory limit ended the run, returns a note with the advice `next`. Otherwise returns an
 * empty list.
 */
export function earlyEndNotes(
  { stopped }: Pick<RipgrepEnd, 'stopped'>,
  patienceMs: number,
  next: string,
): readonly string[] {
  if (stopped === 'timeout') return [`stopped after ${patienceMs / 1_000} s, before all files were searched: ${next}`];
  if (stopped !== 'memory') return [];
  return [`stopped: a line or an ignore file needs more than ${MAX_MEMORY / 1024 ** 2} GiB of memory: ${next}`];
}

/** Passes the records to `each`. Returns true if `each` ended the run. */
async function takeRecords(stream: AsyncIterable<unknown>, { delimiter, each }: RipgrepRun): Promise<boolean> {
  for await (const record of splitRecords(stream, delimiter, MAX_RECORD_BYTES)) if (!(await each(record))) return true;
  return false;
}

/**
 * Returns the path of ripgrep. The package that contains ripgrep is imported only when a search tool runs for the first
 * time. If the package has no binary for this platform, its import throws.
 */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (cause) {
    return notStarted(cause);
  }
}

function notStarted(cause: unknown): never {
  const message =
    'ripgrep cannot run here: its package has no program for this platform, or was installed without optional ' +
    'dependencies. Search with `bash`, and tell the user to run `npm install` again.';
  throw new WorkspaceError('workspace/no-ripgrep', message, { platform: process.platform, arch: process.arch }, cause);
}
