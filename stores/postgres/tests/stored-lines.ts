// Reads and replaces the stored bytes of a session, as a person who changes the tables by hand.

import type { SessionId } from '@tidemark/log';

import { asOwner } from './test-database.ts';

/** Returns the bytes of a session's own records. */
export async function readLines(url: string, tenant: string, session: SessionId): Promise<Uint8Array> {
  const text = 'select line from tidemark.records where tenant = $1 and session = $2 order by position';
  const { rows } = await asOwner(url, (client) => client.query<{ line: Buffer }>(text, [tenant, session]));
  return Buffer.concat(rows.map(({ line }) => line));
}

/** Replaces the bytes of a session's own records. Each line becomes a row, and the head fits the complete lines. */
export async function writeLines(url: string, tenant: string, session: SessionId, bytes: Uint8Array): Promise<void> {
  const lines = linesOf(bytes);
  await asOwner(url, async (client) => {
    await client.query('begin');
    await client.query('delete from tidemark.records where tenant = $1 and session = $2', [tenant, session]);
    let offset = 0;
    for (const [index, line] of lines.entries()) {
      const text = `insert into tidemark.records select $1, $2, start + $3, $4, $5 from tidemark.sessions where tenant = $1 and session = $2`;
      await client.query(text, [tenant, session, index, offset, line]);
      offset += line.length;
    }
    const whole = lines.filter((line) => line.at(-1) === 0x0a).length;
    const head = `update tidemark.sessions set length = start + $3, size = $4, checked = start where tenant = $1 and session = $2`;
    await client.query(head, [tenant, session, whole, offset]);
    await client.query('commit');
  });
}

function linesOf(bytes: Uint8Array): readonly Buffer[] {
  const all = Buffer.from(bytes);
  const lines: Buffer[] = [];
  for (let at = 0; at < all.length;) {
    const end = all.indexOf(0x0a, at);
    const next = end === -1 ? all.length : end + 1;
    lines.push(all.subarray(at, next));
    at = next;
  }
  return lines;
}

/** Removes all rows of a session. */
export async function removeRows(url: string, tenant: string, session: SessionId): Promise<void> {
  await asOwner(url, async (client) => {
    await client.query('delete from tidemark.records where tenant = $1 and session = $2', [tenant, session]);
    await client.query('delete from tidemark.sessions where tenant = $1 and session = $2', [tenant, session]);
  });
}
