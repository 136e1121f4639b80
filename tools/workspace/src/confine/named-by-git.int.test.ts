// Compares the settings that `readGitSettings` reads from git configuration files with the settings that git itself
// reads.

import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from '../../tests/bench.ts';
import { readGitSettings } from './named-by-git.ts';

const TEXTS = [
  '[core]\n\thooksPath = .githooks\n',
  '[CORE]hooksPath=.githooks\n[include] path = a\n[include]\npath=b',
  '[core]\r\n  hooksPath = .githooks \t\r\n',
  '# path = x\n; path = y\n[include]\n  path = a # b\n  path = a;b\n  path = "a # b" ; c\n',
  '[includeIf "gitdir:~/a]b/"]\n\tpath = x\n[includeIf "a \\" \\\\ b"] path = y\n',
  '[core.sub]\n\thooksPath = x\n[a "core"]\nhooksPath = y\n[core "sub"] hooksPath = z\n',
  '[core]\n\thooksPath = .git\\\nhooks\n\tbare\n\teditor = a "b  c" d\n\tpager = \\"x\\" \\\\ \\t y\n',
  '\u{feff}[core]\n\thooksPath = " spaces "   \n',
  '[core]\n\n\n   \n\thookspath =\n\thooksPath = "a\\\nb"\n\tname-2 = ü\n',
  '[core] hooksPath = a\n[include]path = b\nlast = c',
];

/** Returns each setting in the form in which git reads it: section without its subsection, key and value. */
function byGit(path: string): readonly (readonly string[])[] {
  const environment = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1' };
  const listed = execFileSync('git', ['config', '--file', path, '--no-includes', '--list', '-z'], { env: environment });
  return listed
    .toString()
    .split('\0')
    .filter((entry) => entry.includes('\n'))
    .map((entry) => {
      const [name = ''] = entry.split('\n', 1);
      return [name.split('.')[0] ?? '', name.split('.').at(-1) ?? '', entry.slice(name.length + 1)];
    });
}

test('`readGitSettings` returns the same settings as git', async () => {
  const { folder } = await openBench();
  for (const [at, text] of TEXTS.entries()) {
    const path = join(folder, String(at));
    await writeFile(path, text);
    const read = readGitSettings(text).map(({ section, key, value }) => [section, key, value]);
    expect(read, text).toEqual(byGit(path));
    expect(read, text).not.toEqual([]);
  }
});

test('`readGitSettings` skips a line that git refuses and reads the lines after it', () => {
  const next = { section: 'core', key: 'hookspath', value: 'x' };
  for (const bad of ['[unclosed', '= x', '1a = x', '[core] "quoted', 'key = "open'])
    expect(readGitSettings(`[core]\n${bad}\n[core]\nhooksPath = x\n`).at(-1), bad).toEqual(next);
});
