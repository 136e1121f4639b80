// Tests a folder, a pipe or a loop of links in place of a log. Every operation reports such a path at once, and no
// operation waits for it or removes it.

import { execFileSync } from 'node:child_process';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { sessionId } from '@tidemark/log';
import * as samples from '@tidemark/log/contract';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../src/collect-garbage.ts';
import { homePaths, roomPaths } from '../src/home.ts';
import { inspectSession } from '../src/inspect-session.ts';
import { repairSession } from '../src/repair-session.ts';
import { openNdjsonStore } from '../src/store.ts';
import { temporaryHome } from './temporary-home.ts';

const { fails, gather, sessionWith } = samples;
const [id, sound] = [sessionId('a'), sessionId('b')];
const CODE = 'log/not-a-file';

const PUT: Readonly<Record<string, (path: string) => unknown>> = {
  'a folder': (path) => mkdir(path),
  'a loop of symbolic links': (path) => symlink(path, path),
};
// Windows cannot create a pipe in the file system, so this case is omitted on Windows.
if (process.platform !== 'win32') Object.assign(PUT, { 'a pipe': (path: string) => execFileSync('mkfifo', [path]) });

describe('in place of a log', () => {
  it.each(Object.entries(PUT))('%s is reported by every operation and is not removed', async (what, put) => {
    const home = await temporaryHome();
    try {
      for (const one of [id, sound]) await (await sessionWith(openNdjsonStore({ home }), one, 1)).close();
      const { log } = roomPaths(homePaths(home), id);
      await rm(log);
      await put(log);
      const store = openNdjsonStore({ home });
      const { sessions, unreadable } = await store.sessions();
      expect(sessions.map(({ session }) => session)).toEqual([sound]);
      expect(unreadable).toEqual([{ session: id, reason: expect.stringContaining(`log.ndjson is ${what}`) }]);
      await fails(gather(store.read(id)), CODE);
      await fails(inspectSession({ home }, id), CODE);
      await fails(repairSession({ home }, id, sessionId('c')), CODE);
      await fails(collectGarbage({ home }), CODE);
      expect((await lstat(log)).isFile()).toBe(false);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
