// Tests skills in sessions: finding a skill, loading it only one time, counting loaded skills from the log, and loading
// again after a compaction.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SkilledRoom } from '../tests/play-skills.ts';
import { bodies, loads, MODEL, openSkilledRoom, says } from '../tests/play-skills.ts';
import { createAgent } from './create-agent.ts';

let folder: string;
let install: SkilledRoom['install'];
let play: SkilledRoom['play'];

beforeEach(async () => {
  ({ folder, install, play } = await openSkilledRoom());
});

test('a session without any installed skill sends the same bytes as one without the `skills` option', async () => {
  const [without, none] = [
    createScriptedProvider({ answers: [says()] }),
    createScriptedProvider({ answers: [says()] }),
  ];
  for (const [provider, skills] of [
    [without, {}],
    [none, { skills: { roots: [{ folder, source: 'home' }] } }],
  ] as const) {
    const agent = createAgent({
      model: MODEL,
      provider,
      cache: { warm: 'off' },
      context: { runtimeInstructions: 'full' },
      ...skills,
    });
    await (await agent.open()).prompt('Hello.');
    await agent.close();
  }
  expect(none.sent.map(({ body }) => body)).toEqual(without.sent.map(({ body }) => body));
});

describe('`skill_load`', () => {
  test('loads a skill that a note lists, returns its whole body, and records `skill.loaded` directly after the result', async () => {
    await install('tax', { body: 'Add up all of it.' });
    const played = await play([loads({ name: 'tax' }), says()]);
    await played.live.prompt('Do my taxes.');
    expect(bodies(played)[0]).toContain('- tax: About tax.');
    expect(bodies(played)[0]).not.toContain('Add up all of it.');
    expect(bodies(played)[1]).toContain('Add up all of it.');
    const records = await played.records();
    const at = records.findIndex(({ kind }) => kind === 'skill.loaded');
    const returned = records[at - 1];
    if (returned?.kind !== 'tool.returned') throw new Error('no result directly before `skill.loaded`');
    const { call } = returned.data;
    expect(records[at]?.data).toMatchObject({ name: 'tax', reason: 'on_demand', source: 'home', call });
  });

  test('returns only a reference when a loaded skill is loaded again, without an event, also in the same batch', async () => {
    await install('tax');
    const played = await play([loads({ name: 'tax' }, { name: 'tax' }), loads({ name: 'tax' }), says()]);
    await played.live.prompt('Do my taxes.');
    const [first, second, third] = await played.results();
    expect(first).toContain('Do tax well.');
    for (const pointer of [second, third]) {
      expect(pointer).toMatch(/^tool\.returned: # Skill: tax .*\n\n\[already_loaded\]/);
      expect(pointer).not.toContain('Do tax well.');
    }
    expect(await played.loaded()).toEqual(['tax on_demand']);
  });

  test('fails for an unknown name and suggests the nearest skill name', async () => {
    await install('taxes');
    const played = await play([loads({ name: 'taxs' }), says()]);
    await played.live.prompt('Do my taxes.');
    expect(await played.results()).toEqual(['tool.failed: there is no skill "taxs": did you mean taxes?']);
  });

  test('refuses a fourth skill, and the error names the loaded skills and how to free the budget', async () => {
    for (const name of ['a1', 'b2', 'c3', 'd4']) await install(name);
    const played = await play([loads({ name: 'a1' }, { name: 'b2' }, { name: 'c3' }, { name: 'd4' }), says()]);
    await played.live.prompt('All of it.');
    const refused = (await played.results())[3];
    expect(refused).toMatch(
      /^tool\.failed: d4 does not fit: 3 skills are loaded, and the maximum is 3.*a1 \(.*b2 \(.*c3 \(.*compaction drops it/s,
    );
    expect(await played.loaded()).toEqual(['a1 on_demand', 'b2 on_demand', 'c3 on_demand']);
  });

  test('adds a warning above the token limit `warning` and refuses above the limit `most`', async () => {
    for (const name of ['a1', 'b2', 'c3'])
      await install(name, { body: 'All of these words are to be read. '.repeat(10) });
    const budget = { warning: 120, most: 230 };
    const played = await play([loads({ name: 'a1' }, { name: 'b2' }, { name: 'c3' }), says()], {
      skills: { roots: [{ folder, source: 'home' }], budget },
    });
    await played.live.prompt('All of it.');
    const [first, second, third] = await played.results();
    expect(first).not.toContain('[Budget');
    expect(second).toMatch(/\[Budget: the loaded skills now have \d+ of at most 230 tokens/);
    expect(third).toMatch(
      /^tool\.failed: c3 does not fit: with its \d+ tokens the loaded skills would have \d+, and the maximum is 230/,
    );
  });

  test('refuses a body that is too long for one result, and the body can be read in pages as a file', async () => {
    await install('big', { body: 'One line of it.\n'.repeat(3_000) });
    const played = await play([loads({ name: 'big' }), loads({ name: 'big', file: 'SKILL.md' }), says()]);
    await played.live.prompt('Go.');
    const [whole, page] = await played.results();
    expect(whole).toMatch(/^tool\.failed: the body of big has \d+ bytes in 3\d{3} lines, .* only shown whole/);
    expect(page).toMatch(/^tool\.returned: ---\nname: big/);
    expect(await played.loaded()).toEqual([]);
  });

  test("reads a file of the skill's folder, and no file outside of it", async () => {
    await install('tax');
    await mkdir(join(folder, 'tax', 'references'));
    await writeFile(join(folder, 'tax', 'references', 'rates.md'), 'Nineteen.');
    const played = await play([
      loads(
        { name: 'tax', file: 'references/rates.md' },
        { name: 'tax', file: '../../../etc/passwd' },
        { name: 'tax', file: 'no.md' },
      ),
      says(),
    ]);
    await played.live.prompt('Go.');
    expect(await played.results()).toEqual([
      'tool.returned: Nineteen.',
      expect.stringMatching(/^tool\.failed: .* (leads out of its root|there is no passwd)/),
      'tool.failed: no.md of the skill tax cannot be shown: there is no no.md',
    ]);
  });
});

describe('a skill that the user loads', () => {
  test('is placed before the prompt that names it, and needs no call', async () => {
    await install('tax', { body: 'Add up all of it.' });
    const played = await play([loads({ name: 'tax' }), says()]);
    await played.live.prompt('Do my taxes.', { skills: ['tax'] });
    const kinds = (await played.records()).map(({ kind }) => kind);
    const at = kinds.indexOf('skill.loaded');
    expect(kinds.slice(at - 2, at + 2)).toEqual(['turn.started', 'context.noted', 'skill.loaded', 'prompt.given']);
    const [first = ''] = bodies(played);
    expect(first.indexOf('Add up all of it.')).toBeGreaterThan(0);
    expect(first.indexOf('Add up all of it.')).toBeLessThan(first.indexOf('Do my taxes.'));
    expect((await played.results())[0]).toContain('[already_loaded]');
  });

  test('is loaded even above the budget, with a notice', async () => {
    for (const name of ['a1', 'b2', 'c3', 'd4']) await install(name);
    const played = await play([says()]);
    await played.live.prompt('Go.', { skills: ['a1', 'b2', 'c3', 'd4', 'a1'] });
    expect(await played.loaded()).toHaveLength(4);
    expect(played.notices).toEqual(['skill/over-budget']);
  });

  test('with an unknown name begins no turn', async () => {
    await install('tax');
    const played = await play([says()]);
    expect(() => played.live.prompt('Go.', { skills: ['tex'] })).toThrow('there is no skill tex: did you mean tax?');
    expect(await played.live.prompt('Go.')).toMatchObject({ outcome: 'completed' });
  });
});

describe('loaded skills are counted from the log', () => {
  test('after a restart, `skill_load` returns only a reference to a skill that is already loaded', async () => {
    await install('tax');
    const store = createMemoryStore();
    const before = await play([loads({ name: 'tax' }), says()], { store });
    await before.live.prompt('Go.');
    await before.agent.close();
    const after = await play([loads({ name: 'tax' }), says()], { store, id: before.live.id });
    await after.live.prompt('Again.');
    expect((await after.results())[1]).toContain('[already_loaded]');
  });

  test('a fork has the skills that its parent had loaded at the fork, and no later ones', async () => {
    await install('tax');
    await install('vat');
    const played = await play([
      loads({ name: 'tax' }),
      says(),
      loads({ name: 'vat' }),
      says(),
      loads({ name: 'tax' }, { name: 'vat' }),
      says(),
    ]);
    await played.live.prompt('Go.');
    const fork = await played.live.fork();
    await played.live.prompt('More.');
    await fork.prompt('Both.');
    const results = (await Array.fromAsync(played.agent.log.read(fork.id))).flatMap(({ kind, data }) =>
      kind === 'tool.returned' ? [JSON.stringify(data.parts).includes('[already_loaded]')] : [],
    );
    expect(results).toEqual([false, true, false]);
  });

  test('a compaction that dropped a body frees its budget, and the body can be loaded again', async () => {
    for (const name of ['a1', 'b2', 'c3', 'd4']) await install(name, { body: `Do ${name} well. `.repeat(300) });
    const played = await play([
      loads({ name: 'a1' }, { name: 'b2' }, { name: 'c3' }),
      says(),
      loads({ name: 'd4' }, { name: 'a1' }),
      says(),
    ]);
    await played.live.prompt('Go.');
    expect(await played.live.compact({ tailTokens: 1 })).toMatchObject({ outcome: 'compacted' });
    await played.live.prompt('More.');
    expect((await played.results()).slice(3)).toEqual([
      expect.stringContaining('Do d4 well.'),
      expect.stringContaining('Do a1 well.'),
    ]);
    expect(await played.loaded()).toEqual(['a1', 'b2', 'c3', 'd4', 'a1'].map((name) => `${name} on_demand`));
    expect(bodies(played).at(-2)).toContain('Skills to load again');
  });
});
