// Tests skills on the command line. They are found in the user's folders, loaded by `/skill`, and listed with their
// source.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { calls, openStage } from '../../tests/scenario.ts';
import { takeSkills } from '../arguments/skill-words.ts';

let stage: Stage;

beforeEach(() => {
  stage = openStage();
});

afterEach(() => stage.clear());

function tidemark(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const environment = { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: stage.home };
  return pretendRun(args, { folder: stage.folder, environment, ...choices });
}

function install(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'SKILL.md'), text);
}

const TAX = '---\nname: tax\ndescription: Files taxes.\n---\nAdd up all of it.\n';

test('a skill of the user is found, loaded when the model asks for it, and counted', async () => {
  install(join(stage.home, 'tidemark', 'skills'), 'tax', TAX);
  const scenario = stage.scenario(
    { answer: calls('skill_load', { name: 'tax' }) },
    { expect: { toolResult: 'Add up all of it.' }, answer: { text: 'Done.' } },
  );
  const ran = await tidemark(['do my taxes', '--provider', 'simulator', '--scenario', scenario]);
  expect(ran).toMatchObject({ exit: 0, out: 'Done.\n' });
  const told = await tidemark(['skills']);
  expect(told.out).toMatch(/^1 session: 1 skill, loaded once, \d+ tokens\n/);
  expect(told.out).toContain('on demand 1');
});

test('a secret in the description of a skill is masked by shape and by value, also if the skill is skipped', async () => {
  const token = ['gh', 'p_', '0a1B2c3D4'.repeat(4)].join('');
  const described = `Files taxes with ${token}, a-value-of-this-machine.`;
  install(join(stage.home, 'tidemark', 'skills'), 'tax', TAX.replace('Files taxes.', described));
  install(join(stage.home, 'tidemark', 'skills'), 'vat', TAX.replace('name: tax', `name: ${token}`));
  const environment = { TIDEMARK_HOME: stage.home, XDG_CONFIG_HOME: stage.home, SHOP_TOKEN: 'a-value-of-this-machine' };
  for (const args of [['skills'], ['skills', '--json']]) {
    const { out } = await tidemark(args, { environment });
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Files taxes with [secret:github], [secret:SHOP_TOKEN].');
    expect(out).not.toContain(token);
  }
});

test('`/skill` loads the skill before the prompt, and the remaining words are the prompt', async () => {
  install(join(stage.home, 'tidemark', 'skills'), 'tax', TAX);
  const scenario = stage.scenario({ expect: { lastUserText: 'do mine' }, answer: { text: 'Done.' } });
  const ran = await tidemark(['/skill tax do mine', '--provider', 'simulator', '--scenario', scenario]);
  expect(ran).toMatchObject({ exit: 0, out: 'Done.\n' });
  const session = /session ([\w-]+)/.exec(ran.err)?.[1] ?? '';
  expect((await tidemark(['show', session, '0'])).out).toContain(String.raw`source=\"skill:tax`);
});

test("the user's skill budget applies, and the budget of an untrusted folder is ignored", async () => {
  for (const name of ['tax', 'vat']) install(join(stage.home, 'tidemark', 'skills'), name, TAX.replace('tax', name));
  const put = (path: string, settings: object): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(settings));
  };
  put(join(stage.home, 'tidemark', 'tidemark.config.json'), { skillBudget: { skills: 1 } });
  put(join(stage.folder, '.tidemark', 'config.json'), { skillBudget: { skills: 9 } });
  const scenario = stage.scenario(
    { answer: calls('skill_load', { name: 'tax' }) },
    { answer: calls('skill_load', { name: 'vat' }) },
    { expect: { toolResult: 'vat does not fit: 1 skill is loaded, and the maximum is 1' }, answer: { text: 'Done.' } },
  );
  const ran = await tidemark(['do my taxes', '--provider', 'simulator', '--scenario', scenario]);
  expect(ran).toMatchObject({ exit: 0, out: 'Done.\n' });
});

test('`/skill` with a name that is not installed is refused with the nearest name', async () => {
  install(join(stage.home, 'tidemark', 'skills'), 'tax', TAX);
  const ran = await tidemark(['/skill tex do mine', '--provider', 'simulator']);
  expect(ran.exit).not.toBe(0);
  expect(ran.err).toContain('there is no skill tex: did you mean tax?');
});

test('`resume` with `/skill` is refused, and the error names the right command', async () => {
  const ran = await tidemark(['resume', '/skill tax']);
  expect(ran.exit).toBe(2);
  expect(ran.err).toContain('tidemark run --continue "/skill tax …"');
});

test('a skill of the workspace is used only if the workspace is trusted, and otherwise only listed', async () => {
  install(join(stage.folder, '.agents', 'skills'), 'tax', TAX);
  const ran = await tidemark(['/skill tax do mine', '--provider', 'simulator']);
  expect(ran.err).toContain('there is no skill tax');
  expect((await tidemark(['skills'])).out).toContain('not used: tax, because this folder is not trusted');
  await tidemark(['trust', '--yes']);
  expect((await tidemark(['skills'])).out).toMatch(/\ntax\tworkspace\t/);
});

test('a skill of a trusted workspace is loaded by `/skill` and counted once', async () => {
  install(join(stage.folder, '.agents', 'skills'), 'tax', TAX);
  const scenario = stage.scenario(
    { expect: { lastUserText: 'do mine' }, answer: calls('skill_load', { name: 'tax' }) },
    { expect: { toolResult: 'already' }, answer: { text: 'Done.' } },
  );
  const words = ['/skill tax do mine', '--provider', 'simulator', '--scenario', scenario];
  expect(await tidemark([...words, '--trust'])).toMatchObject({ exit: 0, out: 'Done.\n' });
  expect((await tidemark(['skills'])).out).toMatch(/tax\t1\t\d+\ton demand 1\tworkspace/);
});

test('`tidemark skills` lists the skills of a trusted workspace with their source, and the skills that they hide', async () => {
  const theirs = join(stage.folder, '.agents', 'skills');
  const own = join(stage.home, 'tidemark', 'skills');
  install(theirs, 'tax', TAX.replace('Files taxes', 'Files taxes here'));
  install(theirs, 'broken', 'no front matter');
  install(own, 'tax', TAX);
  install(own, 'mail', TAX.replace('tax', 'mail'));
  const untrusted = await tidemark(['skills']);
  expect(untrusted.out).not.toContain(theirs);
  expect(untrusted.out).toContain('not used: broken, tax, because this folder is not trusted');
  await tidemark(['trust', '--yes']);
  const { out, err } = await tidemark(['skills']);
  expect(err).toBe('');
  expect(out).toContain('2 skills installed\n');
  expect(out).toMatch(/\ntax\tworkspace\t[0-9a-f]{12}\tFiles taxes here\.\n/);
  expect(out).toMatch(/\nmail\tconfig\t/);
  expect(out).toContain(`\nworkspace: ${theirs}\n`);
  expect(out).toContain(
    `hidden: ${join(own, 'tax')}, because ${join(theirs, 'tax')} has the same name and takes precedence`,
  );
  expect(out).toMatch(new RegExp(`skipped: ${join(theirs, 'broken')}.*: it does not begin with front matter`));
  const json: unknown = JSON.parse((await tidemark(['skills', '--json'])).out);
  expect(json).toMatchObject({
    installed: {
      roots: [{ source: 'workspace', folder: theirs }, { source: 'home' }, { source: 'config', folder: own }],
      shadowed: [{ name: 'tax', source: 'config' }],
      bad: [{ source: 'workspace' }],
    },
  });
});

test('`tidemark skills` lists installed skills, and skipped ones with the reason', async () => {
  install(join(stage.home, 'tidemark', 'skills'), 'tax', TAX);
  install(join(stage.home, 'tidemark', 'skills'), 'broken', 'no front matter');
  const { out } = await tidemark(['skills']);
  expect(out).toContain('1 skill installed\n');
  expect(out).toMatch(/\ntax\tconfig\t[0-9a-f]{12}\tFiles taxes\.\n/);
  expect(out).toMatch(/skipped: .*broken: it does not begin with front matter/);
  const json: unknown = JSON.parse((await tidemark(['skills', '--json'])).out);
  expect(json).toMatchObject({
    installed: { skills: [{ name: 'tax', source: 'config' }], shadowed: [], bad: [{ source: 'config' }] },
  });
});

describe('`takeSkills` parses', () => {
  test.each([
    ['do it', { words: 'do it', skills: [] }],
    ['/skill tax do it', { words: 'do it', skills: ['tax'] }],
    ['/skill tax /skill vat\ndo it', { words: 'do it', skills: ['tax', 'vat'] }],
    ['/skill tax', { words: 'Use the skill tax.', skills: ['tax'] }],
    ['/skills tax', { words: '/skills tax', skills: [] }],
    ['say /skill tax', { words: 'say /skill tax', skills: [] }],
  ])('%s', (said, taken) => expect(takeSkills(said)).toEqual(taken));
});
