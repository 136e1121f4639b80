// Tests a session that another process writes: the real command runs its turns, and a client of the server follows them.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SessionId } from '@tidemark/log';
import { gather } from '@tidemark/log/contract';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, test } from 'vitest';
import { createReadingLimits } from '../src/live/catch-up.ts';
import { createSessionFeed } from '../src/live/session-feed.ts';
import { readFeed } from './feed-readers.ts';
import type { ServerEvent } from './test-server.ts';
import { openTestServer, readEvents } from './test-server.ts';

const COMMAND = fileURLToPath(new URL('../../../apps/cli/bin/tidemark.cjs', import.meta.url));

async function withHome(
  use: (home: string, run: (...given: readonly string[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'tidemark-server-'));
  const [home, folder] = [join(root, 'home'), join(root, 'work')];
  await mkdir(folder);
  const run = async (...given: readonly string[]): Promise<void> => {
    await promisify(execFile)(process.execPath, [COMMAND, 'run', '--provider', 'simulator', ...given], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: root, TIDEMARK_HOME: home },
    });
  };
  try {
    await use(home, run);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

test('a session is shown live while another process writes it, and after this server has opened it', async () => {
  await withHome(async (home, run) => {
    await run('The first prompt.');
    const log = openNdjsonStore({ home });
    const [summary] = (await log.sessions()).sessions;
    if (summary === undefined) throw new Error('the command stored no session');
    const { session } = summary;
    const before = (await gather(log.read(session))).length;
    await using place = await openTestServer({ log });
    const aborting = new AbortController();
    const answer = await fetch(`${place.server.url}/sessions/${session}/events`, {
      headers: { authorization: `Bearer ${place.token}` },
      signal: aborting.signal,
    });
    const seen: ServerEvent[] = [];
    const events = readEvents(answer);
    const readTo = async (check: (event: ServerEvent) => boolean): Promise<void> => {
      for (;;) {
        const next = await events.next();
        if (next.done === true) throw new Error('the stream ended');
        seen.push(next.value);
        if (check(next.value)) return;
      }
    };
    await readTo(({ event }) => event === 'state');
    await Promise.all([
      run('--session', session, 'The second prompt.'),
      readTo(({ id, data }) => Number(id) >= before && data.kind === 'turn.ended'),
    ]);
    // Another process has ended, so this server can open the session. The same stream goes on.
    const opened = await place.send('PUT', `/sessions/${session}/mode`, { mode: 'read-only' });
    expect(opened.status).toBe(200);
    const isChanged = ({ data }: ServerEvent): boolean =>
      data.kind === 'mode.changed' && data.data.mode === 'read-only';
    const isOpen = ({ event, data }: ServerEvent): boolean => event === 'state' && data.open === true;
    await readTo(() => seen.some(isChanged) && seen.some(isOpen));
    const records = seen.filter(({ event }) => event === 'record');
    expect(records.map(({ id }) => Number(id))).toEqual(records.map((_record, index) => index));
    expect(records.length).toBe((await gather(log.read(session))).length);
    expect(seen.filter(({ event }) => event === 'state').map(({ data }) => data.open)).toEqual([false, true]);
    aborting.abort();
  });
}, 60_000);

test('the readers of a deleted session get `log/missing`', async () => {
  await withHome(async (home, run) => {
    await run('The first prompt.');
    const log = openNdjsonStore({ home });
    const [summary] = (await log.sessions()).sessions;
    const session: SessionId | undefined = summary?.session;
    if (session === undefined) throw new Error('the command stored no session');
    const feed = createSessionFeed(log, session, { limits: createReadingLimits() });
    const reader = readFeed(feed, 0);
    await reader.until(() => reader.states.length > 0);
    await rm(join(home, 'sessions', session), { recursive: true });
    expect(await reader.ended).toMatchObject({ code: 'log/missing' });
  });
}, 60_000);
