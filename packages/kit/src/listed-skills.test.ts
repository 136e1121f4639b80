// Tests how the model is shown installed skills: in the list, in later changes to the list, and as bodies in the front.
// Secrets in all of them are masked.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readSkillUse } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SkilledRoom } from '../tests/play-skills.ts';
import { bodies, loads, openSkilledRoom, says } from '../tests/play-skills.ts';

let folder: string;
let install: SkilledRoom['install'];
let play: SkilledRoom['play'];

beforeEach(async () => {
  ({ folder, install, play } = await openSkilledRoom());
});

describe('a skill installed during a session', () => {
  test('is announced in a note without a new epoch, and can be loaded', async () => {
    await install('tax');
    const played = await play([says(), loads({ name: 'vat' }), says(), says(), says(), says()]);
    await played.live.prompt('Hello.');
    await install('vat', { body: 'Nineteen.' });
    await played.live.prompt('And now?');
    await played.live.prompt('And?');
    await rm(join(folder, 'vat'), { recursive: true });
    await played.live.prompt('And again?');
    await played.live.prompt('Still?');
    const records = await played.records();
    expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
    expect(
      records.flatMap(({ kind, data }) => (kind === 'context.noted' && data.source === 'skills' ? [data.body] : [])),
    ).toEqual([
      'Installed skills. Load one with skill_load before you rely on it:\n- tax: About tax.\n',
      'New skills:\n- vat: About vat.',
      'No longer in the list: vat.',
    ]);
    expect((await played.results())[0]).toContain('Nineteen.');
    const sent = bodies(played);
    const toList = (body = ''): string => body.slice(0, body.indexOf('- tax: About tax.') + 30);
    expect(sent.every((body) => toList(body) === toList(sent[0]))).toBe(true);
  });

  test('another process keeps the recorded list in the context, and adds a new list if the skills changed', async () => {
    await install('tax');
    await install('vat');
    const store = createMemoryStore();
    const before = await play([says()], { store });
    await before.live.prompt('Hello.');
    await before.agent.close();
    await rm(join(folder, 'vat'), { recursive: true });
    const after = await play([says()], { store, id: before.live.id });
    await after.live.prompt('Again.');
    const records = await after.records();
    expect(records.filter(({ kind }) => kind === 'epoch.opened')).toHaveLength(1);
    const notes = records.flatMap(({ kind, data }) =>
      kind === 'context.noted' && data.source === 'skills'
        ? [
            [
              data.cause,
              data.body
                ?.split('\n')
                .slice(1)
                .filter((line) => line.startsWith('-')),
            ],
          ]
        : [],
    );
    expect(notes).toEqual([
      ['initial', ['- tax: About tax.', '- vat: About vat.']],
      ['changed', ['- tax: About tax.']],
    ]);
    expect(bodies(after)[0]).toContain('- vat: About vat.');
  });
});

describe('the list of skills', () => {
  const noted = (records: readonly Recorded[]): readonly string[] =>
    records.flatMap(({ kind, data }) =>
      kind === 'context.noted' && data.source === 'skills' ? [`${data.cause}: ${data.body}`] : [],
    );

  test('is a note and not a layer of the front', async () => {
    await install('tax');
    const played = await play([says()]);
    await played.live.prompt('Go.');
    const records = await played.records();
    const layers = records.flatMap(({ kind, data }) => (kind === 'epoch.opened' ? data.layers : []));
    expect(layers.map(({ name }) => name)).toEqual(['runtime']);
    expect(noted(records)).toEqual([expect.stringMatching(/^initial: Installed skills\..*\n- tax: About tax\.\n$/)]);
  });

  test('is repeated once after a compaction that dropped it', async () => {
    await install('tax');
    const played = await play([says('Long. '.repeat(2_000)), says(), says()]);
    await played.live.prompt('Go.');
    expect(await played.live.compact({ tailTokens: 1 })).toMatchObject({ outcome: 'compacted' });
    await played.live.prompt('More.');
    await played.live.prompt('And more.');
    const [first = '', ...others] = noted(await played.records());
    expect(others).toEqual([first.replace('initial', 'compacted-away')]);
    for (const body of bodies(played)) expect(body.split('- tax: About tax.')).toHaveLength(2);
  });
});

describe('a secret in the text of a skill', () => {
  const token = ['gh', 'p_', '0a1B2c3D4'.repeat(4)].join('');
  const environment = { SHOP_TOKEN: 'a-value-of-this-machine' };

  test('is masked in the list, in the request and in the log, by its shape and by its value', async () => {
    await install('tax', { more: `metadata:\n  when_to_use: Files taxes with ${token}, a-value-of-this-machine.\n` });
    const played = await play([says()], { host: { environment } });
    await played.live.prompt('Hello.');
    const { index } = await readSkillUse(played.agent.log, sessionId(played.live.id));
    for (const text of [bodies(played)[0], index?.text])
      expect(text).toContain('- tax: Files taxes with [secret:github], [secret:SHOP_TOKEN].');
  });

  test('is masked in a body that is preloaded into the front', async () => {
    await install('tax', { body: `Use ${token}.`, more: 'metadata:\n  preload: always\n' });
    const played = await play([says()], { model: 'claude-haiku-4-5', cache: { padding: 'always' } });
    await played.live.prompt('Hello.');
    expect(bodies(played)[0]).toContain('Use [secret:github].');
  });

  test('is masked in the note about a skill installed later', async () => {
    await install('tax');
    const played = await play([says(), says()]);
    await played.live.prompt('Hello.');
    await install('vat', { more: `metadata:\n  when_to_use: See ${token}.\n` });
    await played.live.prompt('Again.');
    expect(bodies(played)[1]).toContain('- vat: See [secret:github].');
  });
});

describe('a skill marked `preload: always`', () => {
  const floored = { model: 'claude-haiku-4-5' };
  const always = { more: 'metadata:\n  preload: always\n' };

  test('is recorded once before the first turn, has a heading marked as preloaded, and needs no loading', async () => {
    await install('tax', { body: 'Add up all of it.', ...always });
    await install('vat');
    const played = await play([loads({ name: 'tax' }), says(), says()], { ...floored, cache: { padding: 'always' } });
    await played.live.prompt('Go.');
    await played.live.prompt('More.');
    const records = await played.records();
    const loaded = records.filter(({ kind }) => kind === 'skill.loaded');
    expect(loaded).toMatchObject([{ data: { name: 'tax', reason: 'always', source: 'home' } }]);
    expect(loaded[0]?.turn).toBeUndefined();
    const kinds = records.map(({ kind }) => kind);
    expect(kinds.indexOf('skill.loaded')).toBeLessThan(kinds.indexOf('turn.started'));
    expect(bodies(played)[0]).toContain('## Skill: tax [preloaded]');
    expect(bodies(played)[0]).toContain('Add up all of it.');
    expect((await played.results())[0]).toContain('[already_preloaded]');
  });

  test('is loaded on demand if it belongs to the workspace, because workspace skills are never preloaded', async () => {
    await install('tax', { body: 'Add up all of it.', ...always });
    const played = await play([loads({ name: 'tax' }), says()], {
      ...floored,
      cache: { padding: 'always' },
      workspace: folder,
    });
    await played.live.prompt('Go.');
    expect(await played.loaded()).toEqual(['tax on_demand']);
    expect(bodies(played)[0]).not.toContain('Add up all of it.');
  });

  test('is loaded on demand if the front is not padded', async () => {
    await install('tax', always);
    const played = await play([loads({ name: 'tax' }), says()], { ...floored, cache: { padding: 'never' } });
    await played.live.prompt('Go.');
    expect(await played.loaded()).toEqual(['tax on_demand']);
  });
});
