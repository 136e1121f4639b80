// Background processes of an open session: connects their host with the log and the listeners of the session.

import type { Event } from '@tidemark/log';
import type { BackgroundProcess, SessionProcesses } from '../ports/background-process.ts';
import type { Notice } from '../ports/session-event.ts';
import { commit } from '../session/session.ts';
import type { Actor } from './actor.ts';
import { tell } from './actor.ts';

/** Lets the host of the runtime serve the session. Without a host, does nothing. */
export function hostProcesses(actor: Actor): void {
  const { session, runtime } = actor;
  const { surroundings } = runtime;
  const record = async (event: Event): Promise<void> => void (await commit(session, [event]));
  const inTurn = (): Pick<Event, 'turn'> => (actor.running === undefined ? {} : { turn: actor.running.turn });
  actor.processes = runtime.processes?.open(session.writer.session, {
    secrets: session.secrets,
    last: session.progress.lastProcess,
    now: () => surroundings.now(),
    started: (data) => record({ kind: 'process.started', at: surroundings.now(), ...inTurn(), data }),
    ended: (data) =>
      record({ kind: 'process.ended', at: surroundings.now(), ...inTurn(), data }).catch((error: unknown) => {
        tellUnrecorded(actor, data.process, error);
      }),
    changed: () => tell(actor, { type: 'processes.changed', processes: listOf(actor) }),
    notice: (notice) => void raise(actor, notice),
  });
}

function listOf({ processes }: Actor): readonly BackgroundProcess[] {
  return processes?.list() ?? [];
}

/** Sends a notice with its text masked, because the text may quote the output of a process. */
async function raise(actor: Actor, notice: Notice): Promise<void> {
  const { mask } = actor.session.secrets;
  const masked = { ...notice, message: await mask(notice.message), next: await mask(notice.next) };
  tell(actor, { type: 'notice.raised', notice: masked });
}

function tellUnrecorded(actor: Actor, process: string, error: unknown): void {
  const message = `the end of the background process ${process} could not be recorded: ${error instanceof Error ? error.message : String(error)}`;
  const next = 'The process has ended. The next turn records it as lost.';
  tell(actor, { type: 'notice.raised', notice: { code: 'process/unrecorded', message, next } });
}

/** Processes of a session for the program that opened it. A session without a host has none. */
export function processesOf(actor: Actor): SessionProcesses {
  return {
    list: () => listOf(actor),
    read: async (id, from) => actor.processes?.read(id, from),
    stop: async (id) => actor.processes?.stop(id),
  };
}
