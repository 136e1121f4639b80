// Writes the calls of a simulator into a file, one JSON value per line.

import { closeSync, openSync, writeSync } from 'node:fs';

import type { CallWatcher, SimulatorOptions } from '@tidemark/simulator';
import { bucketsOf } from '@tidemark/simulator';

import { CliError } from '../frame/failure.ts';

/** Log of a simulator: the hooks that write it, and a function that closes the file. */
export interface SimulatorLog extends Required<Pick<SimulatorOptions, 'onCall' | 'onRejected'>> {
  /** Reason why a line could not be written, if any. The simulator still answers the calls. */
  readonly problem: string | undefined;
  close(): void;
}

/**
 * Opens a log. Lines are added at the end of an existing file, and each line is written before the next call. Only the
 * user can read a new file. With `bodies`, a line also contains the headers, with masked values, and the body.
 *
 * @throws CliError `cli/refused` when the file cannot be written.
 */
export function openSimulatorLog(path: string, bodies: boolean): SimulatorLog {
  const file = openFile(path);
  let problem: string | undefined;
  const write = (line: object): void => {
    try {
      writeSync(file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      problem ??= `log: ${path} is not complete: ${reasonOf(error)}`;
    }
  };
  return {
    get problem() {
      return problem;
    },
    onCall: (call, received) => write({ ...lineOf(call), ...(bodies ? contentOf(received) : {}) }),
    onRejected: ({ at, ...rejected }) => write({ time: timeOf(at), ...rejected }),
    close: () => closeSync(file),
  };
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const problem = `the log ${path} cannot be written: ${reasonOf(error)}`;
    throw new CliError('cli/refused', problem, 'name another file', error);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function lineOf(call: Parameters<CallWatcher>[0]): object {
  const { at, usage: _usage, counts: _counts, ...rest } = call;
  const buckets = bucketsOf(call);
  return { time: timeOf(at), ...rest, ...(buckets === undefined ? {} : { buckets }) };
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

/** A body that is not JSON is logged as text. */
function contentOf({ headers, body }: Parameters<CallWatcher>[1]): object {
  const text = Buffer.from(body).toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    return { headers, body: parsed };
  } catch {
    return { headers, body: text };
  }
}
