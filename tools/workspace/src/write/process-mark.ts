// A mark that a process puts on the files it leaves for a moment, so that a later process can tell whether their writer
// still lives. A process number alone is not enough: it is given again, and means another process in another container.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** The form of a mark: process number, start time, and the boot and process namespace that both belong to. */
export const PROCESS_MARK: RegExp = /\d+-\d+-[0-9a-f]{8}/;

/** Where start times cannot be read, as on macOS. */
const NO_HOST = '00000000';

/** The field of `/proc/N/stat` after the name in brackets that holds the start time, see proc_pid_stat(5); the first is the state. */
const START = 19;

let own: string | undefined;

/** The mark of this process: `4711-88123456-1a2b3c4d`. */
export function processMark(): string {
  return (own ??= [process.pid, startOf(process.pid) ?? 0, hostOf()].join('-'));
}

/** Whether the process of a mark lives; `unknown` for one of another machine, boot or container, and for any mark without `/proc`. */
export function processState(mark: string): 'alive' | 'ended' | 'unknown' {
  const [pid = '', start, host = NO_HOST] = mark.split('-');
  if (host === NO_HOST || host !== hostOf()) return 'unknown';
  return startOf(Number(pid)) === start ? 'alive' : 'ended';
}

/** `undefined` for a process that is not there, or only waits for its parent to look at its exit code. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[START];
  } catch {
    return undefined;
  }
}

function hostOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const names = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(`${boot} ${names}`).digest('hex').slice(0, 8);
  } catch {
    return NO_HOST;
  }
}
