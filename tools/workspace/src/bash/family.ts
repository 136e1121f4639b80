// Process family: lists the processes that came from a command. These are the processes of its session and of its
// group, and its descendants. Other processes are included if the mark of the command is in their environment. Without
// a sandbox, a process can leave session, group and parent and clear its environment. Such a process cannot be found.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { GUARD_NAME, MARK } from './guard.ts';

/** A running process of a command. */
export interface Relative {
  readonly pid: number;
  /** Command line of the process. Its words are joined by spaces. */
  readonly command: string;
}

interface ListedProcess extends Relative {
  readonly parent: number;
  readonly group: number;
  readonly session: number | undefined;
  readonly marked: boolean;
}

/**
 * Returns the running processes that came from a command, without its guard. On Linux, `/proc` lists the processes. On
 * other systems, `ps` lists them, but it shows neither sessions nor marks.
 */
export async function familyOf(leader: number, mark: string): Promise<readonly Relative[]> {
  const all = process.platform === 'linux' ? await listProc(`${MARK}=${mark}`) : await listByPs();
  const known = new Set([leader]);
  // A child may be listed before its parent. Therefore the search repeats until it finds no new process.
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
  // The program name is in parentheses and may contain any character. Therefore the fields are read after the last `)`.
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

/**
 * Returns the content of a file. If the file cannot be read, returns `otherwise`. In that case the process has ended or
 * belongs to another user.
 */
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
