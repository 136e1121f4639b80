// Tests an attack: after the path of a skill's folder was checked, the folder is replaced by a link before a file in it
// is opened.

import { mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTEXT, rootWith, skill } from '../tests/room.ts';
import { inside, readPlain } from './read-folder.ts';
import { createSkillLoadTool } from './skill-load-tool.ts';
import { createSkillShelf } from './skill-shelf.ts';

const OUT = { reason: 'a symbolic link leads out of its root' };

test('`readPlain` reads nothing through a folder that became a link after the check of its path', async () => {
  const root = await rootWith({ 'tax/SKILL.md': skill('tax', 'Files taxes.'), 'tax/references/rates.md': 'Nineteen.' });
  const outside = await rootWith({ 'references/rates.md': 'a key' });
  const realRoot = await realpath(root.folder);
  const path = inside(join(root.folder, 'tax', 'references', 'rates.md'), realRoot);
  if (typeof path !== 'string') throw new Error(path.reason);
  expect(readPlain(path, realRoot)).toEqual(Buffer.from('Nineteen.'));
  await rename(join(root.folder, 'tax', 'references'), join(root.folder, 'tax', 'old'));
  await symlink(join(outside.folder, 'references'), join(root.folder, 'tax', 'references'));
  expect(readPlain(path, realRoot)).toEqual(OUT);
});

test('`skill_load` reads no file through a skill folder that became a link after the last look', async () => {
  const root = await rootWith({ 'tax/SKILL.md': skill('tax', 'Files taxes.'), 'tax/rates.md': 'Nineteen.' });
  const outside = await rootWith({ 'SKILL.md': skill('tax', 'Files taxes.'), 'rates.md': 'a key' });
  const shelf = createSkillShelf({ roots: [root] });
  await shelf.look();
  await rename(join(root.folder, 'tax'), join(root.folder, 'old'));
  await symlink(outside.folder, join(root.folder, 'tax'));
  // The shelf still has the result of the last `look`. That call ran before the folder was replaced by a link.
  const tool = createSkillLoadTool({ ...shelf, look: async () => undefined, find: (name) => shelf.find(name) });
  const run = await tool.read({ name: 'tax', file: 'rates.md' });
  if ('problem' in run) throw new Error(run.problem);
  const { text = '', failed } = await run.run(CONTEXT);
  expect([text, failed]).toEqual([expect.stringContaining(OUT.reason), true]);
});

test('a file of a skill is read through links inside the skill', async () => {
  const root = await rootWith({ 'tax/SKILL.md': skill('tax', 'Files taxes.') });
  await mkdir(join(root.folder, 'tax', 'real'));
  await writeFile(join(root.folder, 'tax', 'real', 'a.md'), 'Nineteen.');
  await symlink('real', join(root.folder, 'tax', 'linked'));
  const realRoot = await realpath(root.folder);
  const path = inside(join(root.folder, 'tax', 'linked', 'a.md'), realRoot);
  expect(typeof path === 'string' && readPlain(path, realRoot)).toEqual(Buffer.from('Nineteen.'));
});
