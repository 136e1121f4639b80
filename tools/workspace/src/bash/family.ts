// The processes that came from a command: its session and group, its descendants, and those that left all three and still
// carry its mark in their environment. One that clears its environment as well is out of reach without a sandbox.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { GUARD_NAME } from './guard.ts';

/** A living process, as far as it matters here. */
export interface Relative {
  readonly pid: number;
  /** Its command line, words joined by spaces. */
  readonly command: string;
}

interface ListedProcess extends Relative {
  readonly parent: number;
  readonly group: number;
  readonly session: number | undefined;
  readonly marked: boolean;
}

/** The variable that marks the processes of one command. */
export const MARK = 'TIDEMARK_COMMAND';

/**
 * Who of a command's processes lives, without its guard. Linux reads `/proc`; elsewhere `ps` is asked, which shows no
 * sessions and no marks.
 */
export async function familyOf(leader: number, mark: string): Promise<readonly Relative[]> {
  const all = process.platform === 'linux' ? await listProc(`${MARK}=${mark}`) : await listByPs();
  const known = new Set([leader]);
  // Parents may be listed after their children, so until nothing is new.
  for (let size = 0; size !== known.size;) {
    size = known.size;
    for (const one of all) if (belongs(one, leader, known)) known.add(one.pid);
  }
  return all.filter(({ pid, command }) => known.has(pid) && !command.includes(` ${GUARD_NAME} `));
}

function belongs(
  { marked, session, group, parent }: ListedProcess,
  leader: number,
  known: ReadonlySet<number>,
): boolean {
  return marked || session === leader || group === leader || known.has(parent);
}

async function listProc(marker: string): Promise<readonly ListedProcess[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const listed = await Promise.all(names.map((name) => readProc(name, marker)));
  return listed.filter((one) => one !== undefined);
}

async function readProc(name: string, marker: string): Promise<ListedProcess | undefined> {
  const stat = await readOr(`/proc/${name}/stat`, '');
  // The name of the program stands in brackets and may hold any character.
  const [state, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  const environment = await readOr(`/proc/${name}/environ`, '');
  const words = await readOr(`/proc/${name}/cmdline`, '');
  return {
    pid: Number(name),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    marked: environment.split('\0').includes(marker),
    command: words.replaceAll('\0', ' ').trim() || stat.slice(stat.indexOf('('), stat.lastIndexOf(')') + 1),
  };
}

/** A process may be gone, or another user's: both are none of ours. */
async function readOr(path: string, otherwise: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => otherwise);
}

async function listByPs(): Promise<readonly ListedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,command='], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || command === undefined || state?.startsWith('Z') === true) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: undefined, marked: false, command },
    ];
  });
}
