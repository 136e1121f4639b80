import type { Event } from '@tidemark/log';
import { expect, test } from 'vitest';
import { ID, begin, second } from '../../tests/small-session.ts';
import { commit } from '../session/session.ts';
import { addSkillUse, readSkillUse } from './skill-use.ts';

const loaded = (name: string, reason: 'always' | 'on_demand', tokens: number, at = 1): Event => ({
  kind: 'skill.loaded',
  at: second(at),
  data: { name, version: '1', reason, tokens, source: '/skills' },
});

test('`readSkillUse` sums loads by skill name, sorts by tokens in descending order, and returns an empty list for a session without loads', async () => {
  const small = await begin();
  expect(await readSkillUse(small.log, ID)).toEqual({ session: ID, skills: [] });
  await commit(small.session, [
    loaded('a', 'always', 10),
    loaded('b', 'on_demand', 500),
    loaded('a', 'on_demand', 20, 9),
  ]);
  const { skills } = await readSkillUse(small.log, ID);
  expect(skills).toEqual([
    { name: 'b', loads: 1, tokens: 500, reasons: { on_demand: 1 }, versions: ['1'], sources: ['/skills'] },
    { name: 'a', loads: 2, tokens: 30, reasons: { always: 1, on_demand: 1 }, versions: ['1'], sources: ['/skills'] },
  ]);
  expect((await readSkillUse(small.log, ID, second(9))).skills).toMatchObject([{ name: 'a', loads: 1, tokens: 20 }]);
  const [b, a] = skills;
  expect(a && b && addSkillUse(a, b)).toMatchObject({ loads: 3, tokens: 530, reasons: { always: 1, on_demand: 2 } });
});
