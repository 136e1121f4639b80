// L2 and L9 in a process that never saw the session: nothing but its folder goes over.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tryStories, WORLDS } from './try-stories.ts';
import { asFields } from './shown.ts';

const CHILD = fileURLToPath(new URL('rebuild-child.ts', import.meta.url));
const run = promisify(execFile);

describe.each(WORLDS.filter(({ store }) => store === 'ndjson'))('L2 in another process against $provider', (world) => {
  it('L2: another process makes the same bytes from the folder alone', async () => {
    await tryStories({ world, runs: 2 }, async ({ place, session, calls }) => {
      const { stdout } = await run(process.execPath, [CHILD, place.home ?? '', session.writer.session]);
      const made = asFields(JSON.parse(stdout));
      expect(made['digests']).toEqual(calls.map(({ prepared }) => prepared.record.data.digest));
      expect(made['differences']).toEqual([]);
    });
  });
});
