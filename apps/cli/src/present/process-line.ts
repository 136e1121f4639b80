// Lines about the start and the end of a background process.

import type { AgentSession } from '@tidemark/kit';
import type { ProcessEnded, RecordedOf } from '@tidemark/log';

import type { CommandOutput } from '../frame/output.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Longest command in a line, in characters. */
const LONGEST_COMMAND = 200;

/** Returns the line for a record about a background process. */
export function processLine(record: RecordedOf<'process.started'> | RecordedOf<'process.ended'>): Shown {
  if (record.kind === 'process.ended')
    return withStyle(
      'dim',
      `background process ${record.data.process} ${processEnd(record.data)}${CAUSES[record.data.by]}`,
    );
  const { process, command } = record.data;
  return withStyle('dim', `background process ${process} runs: ${shortCommand(command)}`);
}

/** Reports the background processes that still run, before the command ends and its session is closed. */
export function reportRunning(
  { processes }: Pick<AgentSession, 'processes'>,
  output: Pick<CommandOutput, 'note'>,
): void {
  for (const line of stoppedLines({ processes }, 'the command ends')) output.note(line);
}

/** Returns a line for each background process that still runs in a session that is about to be closed. */
export function stoppedLines({ processes }: Pick<AgentSession, 'processes'>, why: string): readonly Shown[] {
  return processes
    .list()
    .filter(({ running }) => running)
    .map(({ id, command }) => [
      withStyle('yellow', 'stopped'),
      `: background process ${id}, because ${why}: ${shortCommand(command)}`,
    ]);
}

/** Returns the first line of a command, shortened. */
function shortCommand(command: string): string {
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
export function processEnd({ exit, signal }: Pick<ProcessEnded, 'exit' | 'signal'>): string {
  const code = exit === undefined ? signal : `exit ${exit}`;
  return `has ended${code === undefined ? '' : `: ${code}`}`;
}
