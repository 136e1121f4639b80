import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { partsOf } from './named-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-named-'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/tax.js'), 'x');
  writeFileSync(join(folder, 'a b.txt'), 'x');
  symlinkSync('/etc', join(folder, 'etc'));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function named(words: string): Promise<readonly string[]> {
  const [text, ...files] = await partsOf(words, folder);
  expect(text).toEqual({ type: 'text', text: words });
  return files.map((part) => (part.type === 'file' ? part.path : part.type));
}

test('an existing file or folder is appended after the words of the prompt, once, with its path relative to the workspace', async () => {
  expect(await named('mend @src/tax.js, then (@src) and @./src/tax.js')).toEqual(['src/tax.js', 'src']);
  expect(await named('read @"a b.txt"!')).toEqual(['a b.txt']);
  expect(await named('look at @src/tax.js.')).toEqual(['src/tax.js']);
  expect(await named(`look at @${join(folder, 'src/tax.js')}`)).toEqual(['src/tax.js']);
});

test.each([
  'ask @alice',
  'mail me@src/tax.js',
  '@',
  'npm i @scope/src',
  '@../outside',
  '@/etc/passwd',
  '@etc/passwd',
  '@"src/tax.js',
  '@a b.txt',
  '@src\0/tax.js',
])('%j does not name a file of the workspace, so it stays plain text', async (words) => {
  expect(await named(words)).toEqual([]);
});
