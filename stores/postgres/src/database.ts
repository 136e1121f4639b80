// Database: calls the functions of the schema `tidemark`, and repeats a call whose connection was lost.
//
// Each function can be called again with the same values: it then changes nothing, or its result shows that the first
// call has succeeded. So a restart of the server, or a cut connection, is only a pause.

import { setTimeout as pause } from 'node:timers/promises';

import { LogError } from '@tidemark/log';
import type { CustomTypesConfig, PoolConfig, QueryResultRow } from 'pg';
import { Pool, types } from 'pg';

/** Functions of the schema. Each of them is one statement, so it works behind a pooler in transaction mode. */
export type FunctionName =
  | 'answer_command'
  | 'answers_of'
  | 'append_records'
  | 'cut_records'
  | 'finish_copy'
  | 'first_records'
  | 'flush_session'
  | 'forget_commands'
  | 'forget_live_states'
  | 'get_shared_text'
  | 'head_of'
  | 'heads_of'
  | 'is_open'
  | 'keep_commands'
  | 'leave_copy'
  | 'live_states_of'
  | 'put_live_state'
  | 'put_shared_text'
  | 'read_records'
  | 'receive_records'
  | 'release_session'
  | 'remove_session'
  | 'renew_leases'
  | 'return_command'
  | 'send_command'
  | 'sessions_with_commands'
  | 'sessions_with_work'
  | 'take_command'
  | 'take_copy'
  | 'take_session';

/** Functions that are called for each append and flush. They return one value, which costs less than a table. */
const RETURNS_VALUE: ReadonlySet<FunctionName> = new Set(['append_records', 'flush_session']);

/** Connections to a database. */
export interface Database {
  /**
   * Calls a function and returns its rows. Repeats the call while the database cannot be reached.
   *
   * @throws LogError `log/unreachable` when the database cannot be reached for longer than the patience.
   * @throws Error of the database when it refuses the call.
   */
  call<Row extends QueryResultRow>(name: FunctionName, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Options of the connections. */
export interface DatabaseOptions {
  /** Address of the database: `postgres://user:password@host:port/name`. It is never part of a message. */
  readonly url: string;
  /** Maximum number of connections, 16 by default. */
  readonly connections?: number;
  /** Time for which a call is repeated, in milliseconds, 30 seconds by default. */
  readonly patience?: number;
}

/** Opens connections to a database. No connection is made before the first call. */
export function openDatabase({ url, connections = 16, patience = 30_000 }: DatabaseOptions): Database {
  const pool = new Pool(poolConfig(url, connections));
  // A connection that is lost while no call uses it is replaced by the next call.
  pool.on('error', () => undefined);
  return {
    async call<Row extends QueryResultRow>(name: FunctionName, values: readonly unknown[]) {
      const marks = values.map((_, index) => `$${index + 1}`).join(', ');
      const query = {
        text: `select ${RETURNS_VALUE.has(name) ? '' : '* from '}tidemark.${name}(${marks})`,
        values: [...values],
      };
      const { rows } = await repeated(() => pool.query<Row>(query), patience);
      return rows;
    },
    close: () => pool.end(),
  };
}

function poolConfig(url: string, connections: number): PoolConfig {
  return {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'tidemark',
    types: NUMBERS,
  };
}

/** Maximum time for a connection and for an answer, in milliseconds. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 60_000;

/** Object identifier of the type `bigint`. */
const BIGINT = 20;

/** Reads `bigint` as a number: positions, sizes, times and fences are safe integers. */
const NUMBERS: CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') => (id === BIGINT ? Number : types.getTypeParser(id, format)),
};

async function repeated<T>(call: () => Promise<T>, patience: number): Promise<T> {
  const end = performance.now() + patience;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      return await call();
    } catch (error) {
      if (!isLost(error)) throw error;
      if (performance.now() + wait > end) throw unreachable(error, patience);
      await pause(wait);
    }
  }
}

/** Times between two calls, in milliseconds. */
const FIRST_WAIT = 25;
const LONGEST_WAIT = 1_000;

/** Codes of errors after which a call can be repeated: the connection is lost, or the server cannot answer now. */
const LOST: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  // The database: serialization failure, deadlock, too many connections, shutdown, crash, not ready.
  '40001',
  '40P01',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** Messages of the client for a lost connection, which have no code. */
const LOST_MESSAGE = /^Connection terminated|^timeout exceeded|^Query read timeout|not queryable|^Client was closed/;

function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.every(isLost);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return LOST.has(code) || code.startsWith('08') || LOST_MESSAGE.test(error.message);
}

function unreachable(cause: unknown, patience: number): LogError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const message = `The database could not be reached for ${Math.round(patience / 1_000)} s (${reason}). Check that it runs and that its address is right, then try again.`;
  return new LogError('log/unreachable', message, {}, cause);
}
