// Tests skills in a live session: the position of a load, and the skills that come with a prompt.

import type { EventData } from '@tidemark/log';
import { expect, test } from 'vitest';
import { answering, calls, goLive, says } from '../../tests/small-live.ts';
import type { Skill, SkillShelf } from '../ports/skill-shelf.ts';
import { SKILL_BUDGET } from '../ports/skill-shelf.ts';
import type { Tool } from '../ports/tool.ts';
import { readFold, skillsInContext } from '../session/session.ts';

const TAX: Skill = { name: 'tax', version: 'v1', source: 'home', body: 'Add up all of it.' };

function shelf(...skills: readonly Skill[]): SkillShelf {
  return {
    preloads: [],
    budget: SKILL_BUDGET,
    names: skills.map(({ name }) => name),
    find: (name) => skills.find((one) => one.name === name),
  };
}

function loading(meanwhile: () => Promise<void>): Tool {
  const { name, version, source } = TAX;
  const data: EventData['skill.loaded'] = { name, version, source, reason: 'on_demand', tokens: 10 };
  return {
    name: 'load',
    description: 'Loads.',
    schema: { type: 'object' },
    effect: 'read',
    read: () => ({
      title: 'load',
      run: async () => {
        await meanwhile();
        return { text: TAX.body, facts: [{ kind: 'skill.loaded', data }] };
      },
    }),
  };
}

test('a loaded skill is recorded at the answer that requested it, even if a prompt arrives before its result', async () => {
  const tool = loading(async () => live.steer('Hurry.'));
  const { live, log, records } = await goLive({
    provider: answering(calls(['c1', 'load']), says('Done.')),
    runtime: { tools: [tool] },
  });
  await live.prompt('Go.');
  const { fold } = await readFold(log, live.id);
  const answer = (await records()).find(({ kind }) => kind === 'answer.received');
  const steered = (await records()).findLast(({ kind }) => kind === 'prompt.given');
  expect(fold.progress.loadedSkills).toMatchObject([{ name: 'tax', at: answer?.position, units: TAX.body.length }]);
  expect(steered?.position).toBeGreaterThan(answer?.position ?? Infinity);
  expect(skillsInContext(fold).loaded).toEqual([{ name: 'tax', version: 'v1', tokens: 10 }]);
});

test('the forecast of a prompt contains the skills that it loads, unless they are in the context', async () => {
  const long: Skill = { ...TAX, body: `${TAX.body} `.repeat(500) };
  const { live } = await goLive({ provider: answering(says('One.'), says('Two.')), runtime: { skills: shelf(long) } });
  await live.prompt('Go.');
  const inputOf = async (skills: readonly string[]): Promise<number> => {
    const { tokens: { fresh = 0, read = 0, written = 0 } = {} } = (await live.forecast('Add.', { skills })) ?? {};
    return fresh + read + written;
  };
  const without = await inputOf([]);
  expect((await inputOf(['tax'])) - without).toBeGreaterThan(2_000);
  await live.prompt('Add.', { skills: ['tax'] });
  expect(await inputOf(['tax'])).toBe(await inputOf([]));
  await expect(live.forecast('Add.', { skills: ['tux'] })).rejects.toMatchObject({ code: 'agent/unknown-skill' });
});

test('a prompt brings a skill only once', async () => {
  const { live, kinds } = await goLive({
    provider: answering(says('One.'), says('Two.')),
    runtime: { skills: shelf(TAX) },
  });
  await live.prompt('Go.', { skills: ['tax'] });
  await live.prompt('Again.', { skills: ['tax'] });
  expect((await kinds()).filter((kind) => kind === 'skill.loaded' || kind === 'context.noted')).toEqual([
    'context.noted',
    'skill.loaded',
  ]);
});

test('a session without skills refuses a prompt with a skill and begins no turn', async () => {
  const { live, kinds } = await goLive({ provider: answering(says('One.')) });
  expect(() => live.prompt('Go.', { skills: ['tax'] })).toThrow(
    'there is no skill tax: this session has no skills, so install one, or list its folder in `skills.roots`',
  );
  expect(await kinds()).not.toContain('turn.started');
});
