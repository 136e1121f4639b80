// Tests that files next to a SKILL.md can be read. Files in other places are refused under any name.

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTEXT, rootWith, skill } from '../tests/room.ts';
import { createSkillLoadTool } from './skill-load-tool.ts';
import { createSkillShelf } from './skill-shelf.ts';

async function opened() {
  const root = await rootWith({
    'tax/SKILL.md': skill('tax', 'Files taxes.'),
    'tax/references/rates.md': 'Nineteen.',
    'vat/SKILL.md': skill('vat', 'Rates.'),
    'key.txt': 'a key',
  });
  const tool = createSkillLoadTool(createSkillShelf({ roots: [root] }));
  const load = async (input: object): Promise<readonly [text: string, failed: boolean]> => {
    const run = await tool.read(input);
    if ('problem' in run) return [run.problem, true];
    const { text = '', failed = false } = await run.run(CONTEXT);
    return [text, failed];
  };
  return { root, load };
}

test.each([
  '../vat/SKILL.md',
  '../key.txt',
  '/etc/passwd',
  '.',
  '..',
  'references/../../key.txt',
  'link',
  'linked/key.txt',
])('the file %s is refused, because it is not part of the skill', async (file) => {
  const { root, load } = await opened();
  await symlink('../key.txt', join(root.folder, 'tax', 'link'));
  await symlink('..', join(root.folder, 'tax', 'linked'));
  const [text, failed] = await load({ name: 'tax', file });
  expect(failed).toBe(true);
  expect(text).toMatch(/^\S+ of the skill tax cannot be shown: (a symbolic link leads out of its root|there is no )/);
});

test('a name is only looked up and never used as a path', async () => {
  const { load } = await opened();
  for (const name of ['../tax', 'tax/', '/etc', '', '.', '__proto__', 'constructor', 'Tax'])
    expect(await load({ name })).toEqual([expect.stringContaining(`there is no skill "${name}": `), true]);
});

test('a file that is not text or is too large is reported as such', async () => {
  const { root, load } = await opened();
  await mkdir(join(root.folder, 'tax', 'assets'));
  await writeFile(join(root.folder, 'tax', 'assets', 'logo.bin'), Buffer.alloc(16));
  await writeFile(join(root.folder, 'tax', 'assets', 'all.md'), Buffer.alloc(1_048_577, 'x'));
  expect(await load({ name: 'tax', file: 'assets/logo.bin' })).toEqual([
    'assets/logo.bin of the skill tax is not text, so it cannot be shown',
    true,
  ]);
  expect((await load({ name: 'tax', file: 'assets/all.md' }))[0]).toContain('it is larger than 1048576 bytes');
  expect(await load({ name: 'tax', file: 'references/rates.md' })).toEqual(['Nineteen.', false]);
});
