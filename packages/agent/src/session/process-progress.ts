// Folds the records about background processes.

import type { ProcessEnded, ProcessStarted, RecordedOf } from '@tidemark/log';
import type { LoggedProcess } from '../ports/background-process.ts';

/** Part of the progress of a session: its background processes. */
export interface ProcessProgress {
  /** Background processes that run, or that ended after the last note about them, by id. */
  readonly processes: Map<string, LoggedProcess>;
  /** Highest number in the id of a background process. */
  lastProcess: number;
}

/** Applies the record of a start or an end. */
export function takeProcess(
  progress: ProcessProgress,
  { kind, data }: RecordedOf<'process.started'> | RecordedOf<'process.ended'>,
): void {
  if (kind === 'process.started') start(progress, data);
  else end(progress, data);
}

function start(progress: ProcessProgress, data: ProcessStarted): void {
  progress.processes.set(data.process, data);
  const number = Number(/\d+$/.exec(data.process)?.[0] ?? 0);
  if (Number.isSafeInteger(number)) progress.lastProcess = Math.max(progress.lastProcess, number);
}

/** Maximum number of ended processes that wait for a note. */
const MOST_ENDED = 8;

/** A process that the model stopped needs no note. Of the others, the latest are kept. */
function end({ processes }: ProcessProgress, data: ProcessEnded): void {
  const held = processes.get(data.process);
  if (held === undefined || held.ended !== undefined) return;
  processes.delete(data.process);
  if (data.by === 'model') return;
  const waiting = [...processes.values()].filter(({ ended }) => ended !== undefined);
  for (const { process } of waiting.slice(0, Math.max(0, waiting.length + 1 - MOST_ENDED))) processes.delete(process);
  processes.set(data.process, { ...held, ended: data });
}

/** Removes the processes whose end was noted. */
export function forgetEnded(processes: Map<string, LoggedProcess>): void {
  for (const [id, { ended }] of processes) if (ended !== undefined) processes.delete(id);
}

/** Marks all running processes as lost, because they belong to another session. */
export function loseProcesses({ processes }: ProcessProgress): void {
  for (const [id, held] of processes)
    if (held.ended === undefined) processes.set(id, { ...held, ended: { process: id, by: 'lost' } });
}
