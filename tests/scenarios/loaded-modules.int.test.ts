// What a start has to wait for, counted in modules: a program from its start to its first request, and the command. The
// lists are literal: a package that is loaded by all stands here, or is imported where it is used.

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

/** What every agent is made with: arithmetic of money, shapes of secrets, locks, the grammar of the shell, schemas. */
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
  /** Names of the packages that are not ours, sorted. */
  readonly packages: readonly string[];
}

function loadedBy(args: readonly string[]): Loaded {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const list = join(folder, 'loaded');
  const env = { PATH: process.env['PATH'], HOME: folder, TIDEMARK_LOADED: list };
  const { status, stderr } = spawnSync(process.execPath, ['--import', PRELOAD, ...args], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const urls = readFileSync(list, 'utf8').split('\n');
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return { modules: urls.filter((url) => !url.startsWith('node:')).length, packages: [...new Set(names)].toSorted() };
}

test('a first request is ready before the SDK of any provider, of MCP, and any library of a tool is loaded', () => {
  const { modules, packages } = loadedBy([FIRST_REQUEST]);
  expect(packages).toEqual(ALWAYS);
  expect(modules).toBeLessThan(760);
});

test('where skills are installed, their front matter is all that it waits for beside', () => {
  expect(loadedBy([FIRST_REQUEST, SKILLS]).packages).toEqual([...ALWAYS, 'js-yaml'].toSorted());
});

test('the command tells what it can do without the SDK of any provider, of MCP, and without a server', () => {
  const { modules, packages } = loadedBy([TIDEMARK, '--help']);
  const own = ['ansi-regex', 'commander', 'get-east-asian-width', 'jsonc-parser'];
  expect(packages).toEqual([...ALWAYS, ...own, 'string-width', 'strip-ansi'].toSorted());
  expect(modules).toBeLessThan(1_080);
});
