// Tests on the shared transcripts: each cut has facts of both origins, the whole history holds all of them, and
// Tidemark's compaction keeps what its next request contains.

import { expect, test } from 'vitest';

import { compactByDefault, compactWithin } from './compact-cut.ts';
import { cutSessions } from './cut-sessions.ts';
import { laterNeeded } from './facts.ts';
import { identifiersIn } from './identifiers.ts';
import { words } from './made-pieces.ts';
import { tokensOf } from './pieces.ts';
import { sharesOf } from './recall.ts';

const sessions = await cutSessions();
if (sessions === undefined) console.warn('skipped: no ../shared/transcripts next to the repository');
const cuts = sessions ?? [];

test.skipIf(sessions === undefined)(
  'a whole history holds every fact, and a list of bare identifiers holds none',
  () => {
    expect(cuts).toHaveLength(6);
    for (const { before, after } of cuts) {
      const needed = laterNeeded(before, after);
      const { said, results } = sharesOf(needed, before);
      expect(said.of).toBeGreaterThan(5);
      expect(results.of).toBeGreaterThan(40);
      expect([said.kept, results.kept]).toEqual([said.of, results.of]);
      const names = before.flatMap(({ text }) => text.split('\n').flatMap((line) => identifiersIn(line)));
      const bare = sharesOf(needed, [words([...new Set(names.map(({ text }) => text))].join('\n'))]);
      expect([bare.said.kept, bare.results.kept]).toEqual([0, 0]);
    }
  },
);

test.skipIf(sessions === undefined)(
  "Tidemark's compaction keeps a checkpoint and a tail, within the requested size",
  async () => {
    for (const session of cuts.filter(({ cut }) => cut === 0.6)) {
      const budget = Math.floor(tokensOf(session.before) / 4);
      for (const kept of [await compactWithin(session, budget), await compactByDefault(session)]) {
        expect(kept[0]?.text).toMatch(/^<checkpoint>\n/);
        expect(kept.slice(1).every((piece) => session.before.some(({ text }) => text === piece.text))).toBe(true);
      }
      expect(tokensOf(await compactWithin(session, budget))).toBeLessThanOrEqual(budget);
    }
  },
);
