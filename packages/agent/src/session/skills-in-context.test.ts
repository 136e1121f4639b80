// What of the skills stands before the model: by the log alone, and less what the compaction in force took.

import type { HistoryCompacted } from '@tidemark/log';
import { position, sessionId } from '@tidemark/log';
import type { State } from '@tidemark/context';
import { emptyState } from '@tidemark/context';
import { expect, test } from 'vitest';
import type { SkillLoad } from './progress.ts';
import { emptyProgress } from './progress.ts';
import { skillsInContext } from './skills-in-context.ts';

const load = (name: string, at: number, isResult = true): SkillLoad => ({
  name,
  version: 'v',
  tokens: 10,
  at,
  isResult,
});

function compactedUpTo(to: number, more: Partial<HistoryCompacted> = {}): State {
  const range = { from: position(0), to: position(to) };
  const data: HistoryCompacted = {
    range,
    strategy: 'deterministic',
    trigger: 'manual',
    checkpoint: 'So far.',
    limitations: [],
    ...more,
  };
  return { ...emptyState(), compacted: { position: position(40), session: sessionId('s'), data } };
}

function left(state: State, ...skills: readonly SkillLoad[]): readonly string[] {
  return skillsInContext({ state, progress: { ...emptyProgress(), skills: [...skills] } }).loaded.map(
    ({ name }) => name,
  );
}

test('all that was loaded stands there until a compaction took the answer that asked for it', () => {
  const [old, kept, later] = [load('old', 10), load('kept', 11), load('later', 50)];
  expect(left(emptyState(), old, kept)).toEqual(['old', 'kept']);
  expect(left(compactedUpTo(10), old, kept, later)).toEqual(['kept', 'later']);
});

test('a body in a result that was cut is as good as gone, a note and what came later are not', () => {
  const state = compactedUpTo(10, { shortens: 500 });
  expect(left(state, load('cut', 20), load('noted', 21, false), load('later', 50))).toEqual(['noted', 'later']);
});

test('what was loaded again counts once for each body that is there', () => {
  expect(left(compactedUpTo(10), load('tax', 5), load('tax', 20))).toEqual(['tax']);
});
