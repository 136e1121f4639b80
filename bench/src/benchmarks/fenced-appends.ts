// Fenced appends to PostgreSQL against a bare `INSERT` of the same bytes, at 8, 32 and 64 connections, on a server on
// this machine. Both commit without waiting for the disk. Short runs of both take turns, so that a busy machine slows
// both.

import { randomBytes } from 'node:crypto';

import type { Database } from '@tidemark/store-postgres';
import { migrate, openDatabase } from '@tidemark/store-postgres';
import { startPostgres } from '@tidemark/store-postgres/test-server';
import { Pool } from 'pg';

import type { Benchmark } from '../benchmark.ts';

const CONNECTIONS = [8, 32, 64] as const;
/** Duration of one run and number of runs of each kind, for each number of connections. */
const RUN_MS = 1_000;
const RUNS = 6;
/** Sessions of each connection. */
const SESSIONS = 100;
/** Size of a record, in bytes. */
const BYTES = 400;

const BARE = `
  create table tidemark.bare (
    tenant text not null, session text not null, position bigint not null, at_byte bigint not null, line bytea not null,
    primary key (tenant, session, position)
  ) partition by hash (session);
  do $$ begin
    for number in 0..15 loop
      execute format('create table tidemark.bare_%s partition of tidemark.bare for values with (modulus 16, remainder %s)', number, number);
    end loop;
  end $$;`;

export const benchmark: Benchmark = {
  name: 'fenced-appends',
  against: 'time of a bare INSERT of the same bytes, in the worst of 8, 32 and 64 connections',
  target: 1 / 0.8,
  async run() {
    const server = await startPostgres();
    const url = `${server.url}/postgres`;
    try {
      await migrate(url);
      const rows: { readonly connections: number; readonly fenced: number; readonly bare: number }[] = [];
      for (const connections of CONNECTIONS) rows.push({ connections, ...(await compare(url, connections)) });
      return {
        ratio: Math.max(...rows.map(({ fenced, bare }) => bare / fenced)),
        table: {
          head: ['connections', 'fenced appends per second', 'bare inserts per second', 'share'],
          rows: rows.map(({ connections, fenced, bare }) => [
            `${connections}`,
            fenced.toFixed(0),
            bare.toFixed(0),
            (fenced / bare).toFixed(2),
          ]),
        },
      };
    } finally {
      await server.remove();
    }
  },
};

async function compare(url: string, connections: number): Promise<{ readonly fenced: number; readonly bare: number }> {
  const database = openDatabase({ url, connections });
  const pool = new Pool({ connectionString: url, max: connections, options: '-c synchronous_commit=off' });
  await pool.query(`drop table if exists tidemark.bare; ${BARE}`);
  const sessions = await takeSessions(database, connections);
  const line = randomBytes(BYTES);
  const positions = new Map<string, number>();
  const next = (session: string): number => {
    const position = positions.get(session) ?? 0;
    positions.set(session, position + 1);
    return position;
  };
  const fenced = async (session: string): Promise<void> => {
    const position = next(session);
    const values = ['bench', session, 1, position, '0123456789abcdef', 60_000, [BYTES], line];
    const [row] = await database.call<{ append_records: boolean }>('append_records', values);
    if (row?.append_records !== true) throw new Error(`append ${position} of session ${session} was refused`);
  };
  const bare = async (session: string): Promise<void> => {
    const position = next(`bare ${session}`);
    const values = ['bench', session, position, position * BYTES, line];
    await pool.query('insert into tidemark.bare values ($1, $2, $3, $4, $5)', values);
  };
  const counts = { fenced: 0, bare: 0 };
  await play(sessions, bare);
  await play(sessions, fenced);
  for (let run = 0; run < RUNS; run += 1) {
    counts.bare += await play(sessions, bare);
    counts.fenced += await play(sessions, fenced);
  }
  await Promise.all([database.close(), pool.end()]);
  const seconds = (RUNS * RUN_MS) / 1_000;
  return { fenced: counts.fenced / seconds, bare: counts.bare / seconds };
}

/** Creates the sessions, one list for each connection. */
async function takeSessions(database: Database, connections: number): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const names = Array.from({ length: SESSIONS }, (__, index) => `${connections}-${connection}-${index}`);
      for (const name of names) {
        await database.call('take_session', ['bench', name, 'bench', 3_600_000, 0, '']);
      }
      return names;
    }),
  );
}

/** Writes at all connections for the time of one run, and returns the number of writes. */
async function play(
  sessions: readonly (readonly string[])[],
  write: (session: string) => Promise<void>,
): Promise<number> {
  const end = performance.now() + RUN_MS;
  const counts = await Promise.all(
    sessions.map(async (names) => {
      let count = 0;
      for (; performance.now() < end; count += 1) await write(names[count % names.length] ?? '');
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
