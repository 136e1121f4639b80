// Lines about the start and the end of a background process.

import type { ProcessEnded, RecordedOf } from '@tidemark/log';

import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

const LONGEST_COMMAND = 200;

/** Returns the line for a record about a background process. */
export function processLine(record: RecordedOf<'process.started'> | RecordedOf<'process.ended'>): Shown {
  if (record.kind === 'process.ended')
    return withStyle('dim', `background process ${record.data.process} ${processEnd(record.data)}`);
  const { process, command } = record.data;
  return withStyle('dim', `background process ${process} runs: ${shortCommand(command)}`);
}

/** Returns the first line of a command, shortened. */
export function shortCommand(command: string): string {
  const [line = ''] = command.split('\n', 1);
  return line.length <= LONGEST_COMMAND && line === command ? line : `${line.slice(0, LONGEST_COMMAND)}…`;
}

const CAUSES: Readonly<Record<ProcessEnded['by'], string>> = {
  itself: '',
  model: ', stopped by the model',
  user: ', stopped by the user',
  session: ', because the session was closed',
  lost: ', because the program that ran it ended',
};

/** Returns the end of a process in words, such as `has ended: exit 1`. */
function processEnd({ exit, signal, by }: ProcessEnded): string {
  const code = exit === undefined ? signal : `exit ${exit}`;
  return `has ended${code === undefined ? '' : `: ${code}`}${CAUSES[by]}`;
}
