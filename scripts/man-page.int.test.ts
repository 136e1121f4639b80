// Tests that the stored man page fits the declarations of the commands, and that `man` formats it without warnings.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { COMMANDS } from '../apps/cli/src/commands.ts';

const FILE = fileURLToPath(new URL('../apps/cli/man/tidemark.1', import.meta.url));
const SCRIPT = fileURLToPath(new URL('man-page.ts', import.meta.url));

const skips = spawnSync('man', ['--version']).status !== 0;
if (skips) process.stdout.write('a test of man-page.int.test.ts is skipped: there is no man\n');

test('`apps/cli/man/tidemark.1` is up to date; `npm run man` writes it', () => {
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, '-'], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(readFileSync(FILE, 'utf8'), 'run `npm run man`').toBe(stdout);
});

test.skipIf(skips)('`man` formats the page without warnings, and the page has every command', () => {
  const environment = { PATH: process.env['PATH'], LANG: 'C.UTF-8', MANWIDTH: '400', MAN_KEEP_FORMATTING: '' };
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', FILE], {
    encoding: 'utf8',
    env: environment,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  for (const { name } of COMMANDS) expect(stdout).toMatch(new RegExp(`^   tidemark ${name}\\b`, 'm'));
  expect(stdout).toContain('--max-cost <dollars>');
});
