// Process mark: a text that a process writes into the names or contents of its temporary files. With the mark, a later
// process can check if the writer still runs. A process id alone is not enough, because ids are used again, and because
// the same id means another process in another container.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** Pattern of a mark: process id, start time, and a hash. The hash identifies the boot and the process namespace. */
export const PROCESS_MARK: RegExp = /\d+-\d+-[0-9a-f]{8}/;

/** Value that is used instead of the hash on systems without `/proc`, such as macOS. */
const NO_HOST = '00000000';

/**
 * Index of the start time in `/proc/N/stat`. Only the fields after the name in parentheses are counted, and index 0 is
 * the state. See proc_pid_stat(5).
 */
const START = 19;

let own: string | undefined;

/** Returns the mark of this process, such as `4711-88123456-1a2b3c4d`. */
export function processMark(): string {
  return (own ??= [process.pid, startOf(process.pid) ?? 0, hostOf()].join('-'));
}

/**
 * Returns the state of the process that a mark names. If the mark comes from another machine, boot or container, the
 * state is `unknown`. On a system without `/proc`, the state is always `unknown`.
 */
export function processState(mark: string): 'alive' | 'ended' | 'unknown' {
  const [pid = '', start, host = NO_HOST] = mark.split('-');
  if (host === NO_HOST || host !== hostOf()) return 'unknown';
  return startOf(Number(pid)) === start ? 'alive' : 'ended';
}

/** Returns the start time of a process. If the process does not exist or is a zombie, returns `undefined`. */
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
