// Commands of sessions as rows: a server of any machine sends them, and the worker that holds the session runs them in
// order. A command whose worker was killed is taken again, and tells its next worker where the log ended before it.

import { setTimeout as pause } from 'node:timers/promises';

import type { SessionId } from '@tidemark/log';

import type { Database } from './database.ts';

/** Request of a command, as a server got it. */
export interface CommandRequest {
  readonly method: string;
  /** Path with the session in it, for example `/sessions/<id>/prompt`. */
  readonly path: string;
  /** Value that JSON can represent. */
  readonly body?: unknown;
}

/** Answer of a command, as a server sends it. */
export interface CommandAnswer {
  readonly status: number;
  /** Value that JSON can represent. */
  readonly body: unknown;
}

/** Command that a worker has taken. */
export interface TakenCommand {
  readonly id: number;
  readonly request: CommandRequest;
  /** Number of records of the session before the command was run for the first time. */
  readonly beganAtLength: number;
  /** True if a worker has taken it before. It may have been run. */
  readonly isRepeated: boolean;
}

/** Worker that takes a command. */
export interface CommandTaker {
  readonly worker: string;
  readonly holds: boolean;
}

/** A session of a tenant. */
export interface TenantSession {
  readonly tenant: string;
  readonly session: SessionId;
}

/** Commands of all sessions in a database. */
export interface CommandQueue {
  /** Stores a command. When the promise resolves, it is on stable storage. Returns its number. */
  send(at: TenantSession, request: CommandRequest, sentBy: string): Promise<number>;
  /** Waits for the answer of a command. Rejects with the reason of the signal if it aborts. */
  answer(at: TenantSession, id: number, signal: AbortSignal): Promise<CommandAnswer>;
  /**
   * Takes the next command of a session for a worker. With `holds`, the store with the name of the worker must hold the
   * lease of the session now. Without, the session cannot be opened, and no other worker may hold it. Returns
   * `undefined` if no command waits, or if it belongs to another worker.
   */
  take(at: TenantSession, by: CommandTaker): Promise<TakenCommand | undefined>;
  /** Keeps commands that the worker still runs. */
  keep(tenant: string, ids: readonly number[], worker: string): Promise<void>;
  /** Records the answer. Returns false if another worker has taken the command since. */
  finish(at: TenantSession, id: number, worker: string, answer: CommandAnswer): Promise<boolean>;
  /** Gives a command back that could not be begun. */
  giveBack(at: TenantSession, id: number, worker: string): Promise<void>;
  /** Returns those of the sessions for which a command waits. */
  waiting(tenant: string, sessions: readonly SessionId[]): Promise<ReadonlySet<SessionId>>;
  /** Returns sessions of all tenants that need a worker: a command waits, or the writer of the session was killed. */
  needed(most: number): Promise<readonly TenantSession[]>;
  /** Removes answered commands that are older than an hour. */
  forget(): Promise<void>;
}

/** Time for which a worker has a command before it must keep it again, in milliseconds. */
const LEASE_MS = 10_000;

/** Time between two questions for an answer, in milliseconds. */
const LOOK_MS = 50;

/** Age at which an answered command is removed, in seconds. */
const KEPT_S = 3_600;

/** Opens the commands of a database. */
export function createCommandQueue(database: Database): CommandQueue {
  return {
    async send({ tenant, session }, request, sentBy) {
      const values = [tenant, session, JSON.stringify(request), sentBy];
      const [row] = await database.call<{ send_command: number }>('send_command', values);
      if (row === undefined) throw new Error('send_command returned no row');
      return row.send_command;
    },
    async answer({ tenant }, id, signal) {
      for (;;) {
        const [row] = await database.call<{ answer: CommandAnswer }>('answers_of', [tenant, [id]]);
        if (row !== undefined) return row.answer;
        await pause(LOOK_MS, undefined, { signal });
      }
    },
    async take({ tenant, session }, { worker, holds }) {
      const [row] = await database.call<TakenRow>('take_command', [tenant, session, worker, holds, LEASE_MS]);
      if (row === undefined) return undefined;
      const { id, request, began_at_length: beganAtLength, is_repeated: isRepeated } = row;
      return { id, request, beganAtLength, isRepeated };
    },
    async keep(tenant, ids, worker) {
      await database.call('keep_commands', [tenant, ids, worker, LEASE_MS]);
    },
    async finish({ tenant }, id, worker, answer) {
      const values = [tenant, id, worker, JSON.stringify(answer)];
      const [row] = await database.call<{ answer_command: boolean }>('answer_command', values);
      return row?.answer_command === true;
    },
    async giveBack({ tenant }, id, worker) {
      await database.call('return_command', [tenant, id, worker]);
    },
    async waiting(tenant, sessions) {
      const rows = await database.call<{ session: SessionId }>('sessions_with_commands', [tenant, sessions]);
      return new Set(rows.map(({ session }) => session));
    },
    needed: (most) => database.call<TenantSession>('sessions_with_work', [most]),
    async forget() {
      await database.call('forget_commands', [KEPT_S]);
    },
  };
}

interface TakenRow {
  readonly id: number;
  readonly request: CommandRequest;
  readonly began_at_length: number;
  readonly is_repeated: boolean;
}
