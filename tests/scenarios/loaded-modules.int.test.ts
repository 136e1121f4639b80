// Loaded modules at startup: counts the modules that a program loads until its first request, and that the command
// loads for its help. The package lists are literals. If every start loads a new package, either add the package to a
// list, or import it only where it is used.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

const place = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const PRELOAD = new URL('record-modules.ts', import.meta.url).href;
const FIRST_REQUEST = place('first-request.ts');
const TIDEMARK = place('../../apps/cli/bin/tidemark.cjs');
const SKILLS = place('../../tools/skills/tests/skills');

/**
 * Packages that every agent loads: decimal arithmetic for money, patterns of secrets, locks, the shell grammar, and
 * schemas.
 */
const ALWAYS = [
  '@secretlint/secretlint-rule-preset-recommend',
  'decimal.js',
  'p-limit',
  'unbash',
  'yocto-queue',
  'zod',
];

interface Loaded {
  readonly modules: number;
  readonly packages: readonly string[];
}

function loadedBy(args: readonly string[]): Loaded {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const list = join(folder, 'loaded');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    TIDEMARK_LOADED: list,
  };
  const { status, stderr } = spawnSync(process.execPath, ['--import', PRELOAD, ...args], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const urls = readFileSync(list, 'utf8').split('\n');
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return { modules: urls.filter((url) => !url.startsWith('node:')).length, packages: [...new Set(names)].toSorted() };
}

test('a first request is prepared without loading any provider SDK, the MCP SDK or any library of a tool', () => {
  const { modules, packages } = loadedBy([FIRST_REQUEST]);
  expect(packages).toEqual(ALWAYS);
  expect(modules).toBeLessThan(760);
});

test('with installed skills, a first request loads only one more package, the parser of their front matter', () => {
  expect(loadedBy([FIRST_REQUEST, SKILLS]).packages).toEqual([...ALWAYS, 'js-yaml'].toSorted());
});

test.each([
  [['--help']],
  [['completion', 'bash', '--words', '--', 'show', '']],
  [['completion', 'fish', '--words', '--', '--model', '']],
])('`tidemark %j` loads no provider SDK, no MCP SDK, no server and no terminal', (line) => {
  const { modules, packages } = loadedBy([TIDEMARK, ...line]);
  const own = ['ansi-regex', 'commander', 'get-east-asian-width', 'jsonc-parser'];
  expect(packages).toEqual([...ALWAYS, ...own, 'string-width', 'strip-ansi'].toSorted());
  expect(modules).toBeLessThan(1_080);
});
