// Reads the logs of every release with this build, in every test run. Each request must be rebuilt with exactly the
// bytes that were sent (L2).

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { foldLog, rebuildSession, verifySession } from '@tidemark/agent';
import { sessionId } from '@tidemark/log';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { encoders } from '../laws/server.ts';
import { digestOf } from '../laws/shown.ts';
import { readExpected } from './expected.ts';

const HERE = import.meta.dirname;
const RELEASES = readdirSync(HERE).filter((name) => /^\d{4}$/.test(name));

it('the folder contains the corpus of at least one release', () => {
  expect(RELEASES).toContain('0001');
});

describe.each(RELEASES)('the corpus of release %s', (release) => {
  const log = openNdjsonStore({ home: join(HERE, release, 'home') });
  const { sessions } = readExpected(join(HERE, release, 'expected.json'));

  it('contains exactly the sessions that its `expected.json` lists', async () => {
    const listed = await log.sessions();
    expect(listed.unreadable).toEqual([]);
    expect(listed.sessions.map(({ session }) => session).toSorted()).toEqual(
      sessions.map(({ session }) => session).toSorted(),
    );
  });

  describe.each(sessions)('$session', (expected) => {
    const session = sessionId(expected.session);

    it.each([false, true])(
      'rebuilds the bytes of each request as they were sent, with `full` set to %s',
      async (full) => {
        const made: { readonly position: number; readonly digest: string }[] = [];
        for await (const step of rebuildSession(log, session, { encoders, full })) {
          if (step.type === 'request')
            made.push({ position: step.rebuilt.record.position, digest: digestOf(step.rebuilt.body()) });
        }
        expect(made).toEqual(expected.requests);
      },
    );

    it('folds as before, with the same breaks and causes and the same problems', async () => {
      const { records, differences, breaks, problems } = await verifySession(log, session, { encoders });
      expect({ records, differences, breaks: breaks.map(({ cause }) => cause ?? 'unlabelled'), problems }).toEqual({
        records: expected.records,
        differences: [],
        breaks: expected.breaks,
        problems: expected.problems,
      });
      expect((await foldLog(log, session)).unknown).toBeUndefined();
    });
  });
});
