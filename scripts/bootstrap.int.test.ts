// Tests the bootstrap in a separate folder with a fake npm: its decisions, its messages and the files that remain.

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

/** Fake npm: records each call, and behaves as the file `behaviour` requests. */
const NPM = `
const fs = require('fs');
const path = require('path');
const [verb] = process.argv.slice(2);
const root = process.cwd();
const behaviour = fs.existsSync('behaviour') ? fs.readFileSync('behaviour', 'utf8') : 'good';
if (verb === '--version') { console.log(behaviour === 'old' ? '6.14.18' : '11.0.0'); process.exit(0); }
fs.appendFileSync('calls', verb + '\\n');
if (behaviour === 'slow') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
if (behaviour === 'fails') { console.error('npm error network'); process.exit(3); }
fs.mkdirSync(path.join(root, 'node_modules/node/bin'), { recursive: true });
if (behaviour !== 'no-scripts') fs.writeFileSync(path.join(root, 'node_modules/node/bin/node'), '');
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-bootstrap-'));
  mkdirSync(join(root, 'scripts'));
  copyFileSync(new URL('./bootstrap.cjs', import.meta.url), join(root, 'scripts/bootstrap.cjs'));
  writeFileSync(join(root, 'npm-cli.js'), NPM);
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'package-lock.json'), '{"lockfileVersion":3}');
});

afterEach(() => rmSync(root, { recursive: true }));

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath };
}

function bootstrap(...args: readonly string[]): Ran {
  const script = join(root, 'scripts/bootstrap.cjs');
  const ran = spawnSync(process.execPath, [script, ...args], { env: environment(), encoding: 'utf8' });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

function calls(): readonly string[] {
  return existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').trim().split('\n') : [];
}

function npmBehaves(how: string): void {
  writeFileSync(join(root, 'behaviour'), how);
}

test('bootstrap runs npm ci and prints one line if node_modules is missing, and prints nothing the second time', () => {
  expect(bootstrap()).toEqual({ code: 0, out: '', err: 'bootstrap: node_modules is absent; running npm ci, once\n' });
  expect(bootstrap()).toEqual({ code: 0, out: '', err: '' });
  expect(calls()).toEqual(['ci']);
});

test('bootstrap runs the installation again when the lock file has changed', () => {
  bootstrap();
  writeFileSync(join(root, 'package-lock.json'), '{"lockfileVersion":3,"name":"other"}');
  expect(bootstrap().err).toContain('older than the lock file');
  expect(calls()).toEqual(['ci', 'ci']);
});

test("bootstrap runs the installation again when the project's own Node is missing", () => {
  bootstrap();
  rmSync(join(root, 'node_modules/node/bin/node'));
  expect(bootstrap().err).toContain('does not contain Node');
  expect(existsSync(join(root, 'node_modules/node/bin/node'))).toBe(true);
});

test('bootstrap runs npm install if there is no lock file', () => {
  rmSync(join(root, 'package-lock.json'));
  expect(bootstrap().code).toBe(0);
  expect(calls()).toEqual(['install']);
});

test('bootstrap accepts a manual installation as complete', () => {
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules/node/bin/node'), '');
  bootstrap('--installed');
  expect(bootstrap()).toEqual({ code: 0, out: '', err: '' });
  expect(calls()).toEqual([]);
});

test('bootstrap reports the failure of npm and the next step, and tries again the next time', () => {
  npmBehaves('fails');
  const failed = bootstrap();
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(/npm error network\nbootstrap: npm ci failed \(exit code 3\).*\nnext: /s);
  npmBehaves('good');
  expect(bootstrap().code).toBe(0);
  expect(existsSync(join(root, '.bootstrap-turn'))).toBe(false);
});

test('bootstrap refuses an npm that does not support workspaces', () => {
  npmBehaves('old');
  expect(bootstrap()).toMatchObject({
    code: 1,
    err: expect.stringContaining('npm 6.14.18 does not support workspaces\nnext: '),
  });
  expect(calls()).toEqual([]);
});

test('bootstrap suggests `npm rebuild node` if npm installs no Node because install scripts are off', () => {
  npmBehaves('no-scripts');
  expect(bootstrap()).toMatchObject({ code: 1, err: expect.stringContaining('npm rebuild node') });
});

test('two bootstraps at the same time install only once', async () => {
  npmBehaves('slow');
  const script = join(root, 'scripts/bootstrap.cjs');
  const race = [1, 2].map(
    () =>
      new Promise<number | null>((resolve, reject) => {
        spawn(process.execPath, [script], { env: environment(), stdio: 'ignore' })
          .on('exit', resolve)
          .on('error', reject);
      }),
  );
  expect(await Promise.all(race)).toEqual([0, 0]);
  expect(calls()).toEqual(['ci']);
});

test('bootstrap does not wait for the lock of a dead process', () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  mkdirSync(join(root, '.bootstrap-turn'));
  writeFileSync(join(root, '.bootstrap-turn/pid'), `${dead}\n`);
  expect(bootstrap().code).toBe(0);
  expect(existsSync(join(root, '.bootstrap-turn'))).toBe(false);
});
