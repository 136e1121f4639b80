// Tests `judgeLoad` in the order of its decision: already loaded, budget, load.

import { expect, test } from 'vitest';
import type { LoadedSkill, Skill } from '../ports/skill-shelf.ts';
import { SKILL_BUDGET } from '../ports/skill-shelf.ts';
import { judgeLoad } from './judge-load.ts';

const skill = (name: string, body = 'Do it.', version = 'v1'): Skill => ({ name, version, source: 'home', body });
const held = (name: string, tokens = 100, version = 'v1'): LoadedSkill => ({ name, version, tokens });
const FULL = [held('a'), held('b'), held('c')];

test('`judgeLoad` only refers to a skill that is already in the context, even if the budget is used up', () => {
  expect(judgeLoad(skill('a'), { preloaded: [], loaded: FULL }, SKILL_BUDGET)).toEqual({
    do: 'point',
    at: 'already_loaded',
  });
  expect(judgeLoad(skill('d'), { preloaded: ['d'], loaded: FULL }, SKILL_BUDGET)).toEqual({
    do: 'point',
    at: 'already_preloaded',
  });
});

test('a new version of a loaded skill is loaded and does not count as another skill', () => {
  expect(judgeLoad(skill('a', 'Anew.', 'v2'), { preloaded: [], loaded: FULL }, SKILL_BUDGET)).toMatchObject({
    do: 'load',
  });
});

test('two versions of one skill count as one', () => {
  const loaded = [held('a'), held('a', 100, 'v0'), held('b')];
  expect(judgeLoad(skill('c'), { preloaded: [], loaded }, SKILL_BUDGET)).toMatchObject({ do: 'load' });
  expect(judgeLoad(skill('d'), { preloaded: [], loaded: FULL }, SKILL_BUDGET)).toMatchObject({ do: 'refuse' });
});

test.each([
  [9_900, 'load'],
  [10_000, 'warned'],
  [29_900, 'warned'],
  [30_000, 'refuse'],
])('after %i loaded tokens the verdict for a small skill is: %s', (tokens, verdict) => {
  const given = judgeLoad(skill('b'), { preloaded: [], loaded: [held('a', tokens)] }, SKILL_BUDGET);
  expect(given.do === 'load' && given.warning !== undefined ? 'warned' : given.do).toBe(verdict);
});

test('a body that alone exceeds the budget is refused, and the reason states that no skill is loaded', () => {
  const given = judgeLoad(skill('huge', 'word '.repeat(40_000)), { preloaded: [], loaded: [] }, SKILL_BUDGET);
  expect(given).toMatchObject({
    do: 'refuse',
    why: expect.stringMatching(/the maximum is 30,000\. No skill is loaded\.$/),
  });
});
