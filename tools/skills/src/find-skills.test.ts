// Tests the search for skills. It tests which skills are found, and which of two skills with the same name is used.
// Each skipped folder must be reported with its path and the reason.

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REAL, rootWith, skill } from '../tests/room.ts';
import { findSkills } from './find-skills.ts';
import type { KnownFolders } from './read-folder.ts';

test('`findSkills` finds real skills by name, with the text for their use and the files next to them', async () => {
  const { skills, bad } = await findSkills([REAL]);
  expect(bad).toEqual([]);
  expect(skills.map(({ name }) => name)).toEqual(['bug-report', 'csv-cleanup', 'postgres-migration', 'release-notes']);
  const [report, csv] = skills;
  expect(csv).toMatchObject({ files: ['references/dates-and-numbers.md', 'scripts/profile.mjs'], preload: false });
  expect(csv?.use).toMatch(/^A CSV or TSV file has wrong columns/);
  expect(csv?.body).toContain(
    'read with skill_load {"name":"csv-cleanup","file":"…"}: references/dates-and-numbers.md',
  );
  expect(report?.use).toMatch(/^Turns a vague complaint/);
  expect(report?.version).toMatch(/^[0-9a-f]{12}$/);
});

test('`findSkills` uses the nearer of two skills with the same name and reports the other skill', async () => {
  const near = await rootWith({ 'tax/SKILL.md': skill('tax', 'near') }, 'workspace');
  const far = await rootWith({ 'tax/SKILL.md': skill('tax', 'far'), 'vat/SKILL.md': skill('vat', 'rates') });
  const { skills, shadowed } = await findSkills([near, far]);
  expect(skills.map(({ name, source }) => [name, source])).toEqual([
    ['tax', 'workspace'],
    ['vat', 'home'],
  ]);
  expect(shadowed.map(({ skill: one, by }) => [one.folder, by.folder])).toEqual([
    [join(far.folder, 'tax'), join(near.folder, 'tax')],
  ]);
});

test('a bad skill does not hide a good skill of the same name', async () => {
  const near = await rootWith({ 'tax/SKILL.md': 'no front matter' }, 'workspace');
  const far = await rootWith({ 'tax/SKILL.md': skill('tax', 'far') });
  const { skills, bad } = await findSkills([near, far]);
  expect([skills.map(({ source }) => source), bad.map(({ path }) => path)]).toEqual([
    ['home'],
    [join(near.folder, 'tax')],
  ]);
});

test('`findSkills` skips folders that it cannot use and reports path and reason', async () => {
  const outside = await rootWith({ 'evil/SKILL.md': skill('evil', 'from elsewhere') });
  const root = await rootWith({
    'other/SKILL.md': skill('tax', 'in a folder of another name'),
    'empty/readme.md': '',
    'linked/readme.md': '',
    'plain-file': '',
    '.hidden/SKILL.md': skill('hidden', 'not looked at'),
  });
  await symlink(join(outside.folder, 'evil'), join(root.folder, 'evil'));
  await symlink(join(outside.folder, 'evil', 'SKILL.md'), join(root.folder, 'linked', 'SKILL.md'));
  await mkdir(join(root.folder, 'folder', 'SKILL.md'), { recursive: true });
  await symlink('nowhere', join(root.folder, 'dangling'));
  const { skills, bad } = await findSkills([root, { folder: join(root.folder, 'no', 'such'), source: 'config' }]);
  expect(skills).toEqual([]);
  expect(bad.map(({ path, reason }) => [path.slice(root.folder.length + 1), reason])).toEqual([
    ['dangling', 'there is no SKILL.md'],
    ['empty', 'there is no SKILL.md'],
    ['evil', 'a symbolic link leads out of its root'],
    ['folder', 'it is not a regular file'],
    ['linked', 'a symbolic link leads out of its root'],
    ['other', 'its name is tax, but its folder is other: they must be equal'],
  ]);
});

test('`findSkills` follows a root that is a link, and a link inside the root', async () => {
  const real = await rootWith({ 'store/tax/SKILL.md': skill('tax', 'linked') });
  await symlink('store/tax', join(real.folder, 'tax'));
  await symlink(real.folder, `${real.folder}-link`);
  try {
    const { skills } = await findSkills([{ folder: `${real.folder}-link`, source: 'home' }]);
    expect(skills.map(({ name }) => name)).toEqual(['tax']);
  } finally {
    await rm(`${real.folder}-link`);
  }
});

test('a changed byte gives a new version', async () => {
  const one = await rootWith({ 'tax/SKILL.md': skill('tax', 'a') });
  const two = await rootWith({ 'tax/SKILL.md': skill('tax', 'b') });
  const [a, b] = await Promise.all([findSkills([one]), findSkills([two])]);
  expect(a.skills[0]?.version).not.toBe(b.skills[0]?.version);
});

test('`findSkills` reads only the skills that changed since the last look', async () => {
  const root = await rootWith({ 'tax/SKILL.md': skill('tax', 'a'), 'vat/SKILL.md': skill('vat', 'b') });
  const known: KnownFolders = new Map();
  const [tax, vat] = (await findSkills([root], known)).skills;
  await writeFile(join(root.folder, 'vat', 'SKILL.md'), skill('vat', 'c'));
  const again = (await findSkills([root], known)).skills;
  // The same object was returned for the unchanged skill, so its folder was not read again.
  expect(again[0]).toBe(tax);
  expect(again[1]).not.toBe(vat);
  expect(again[1]?.description).toBe('c');
});
