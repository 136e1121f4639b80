// Tests that a release runs under the supported versions of Node, and under Bun and Deno. A runtime that is not
// installed is skipped with the reason. `npm run runtimes` installs them.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { missingReason, programOf, runtimeFolder, RUNTIMES, runtimesFolder, tryRuntime } from './runtimes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// The folder is inside the repository's `node_modules`, so that third-party packages are found from it.
const RELEASE = mkdtempSync(join(ROOT, 'node_modules', '.tidemark-runtimes-'));
const folder = runtimesFolder();

beforeAll(() => {
  const made = spawnSync(process.execPath, [join(ROOT, 'scripts/release.ts'), RELEASE], { encoding: 'utf8' });
  expect(made).toMatchObject({ status: 0, stderr: '' });
});
afterAll(() => rmSync(RELEASE, { recursive: true }));

describe('a runtime that cannot run', () => {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-no-runtimes-'));
  afterAll(() => rmSync(place, { recursive: true }));

  test.for(RUNTIMES)('$title $version is reported with the reason', (runtime) => {
    const installed = join(runtimeFolder(runtime, place), 'node_modules', runtime.package);
    expect(missingReason(runtime, place)).toContain(`${runtime.version} is not installed in ${place}`);
    mkdirSync(installed, { recursive: true });
    writeFileSync(join(installed, 'package.json'), '{ "version": "0.0.1" }');
    expect(missingReason(runtime, place)).toBe(`${runtime.package} 0.0.1 is installed, not ${runtime.version}`);
    writeFileSync(join(installed, 'package.json'), JSON.stringify({ version: runtime.version }));
    expect(missingReason(runtime, place)).toBe(`${runtime.title} ${runtime.version} is installed without its program`);
  });

  test('a runtime that prints a warning and fails is reported with each part and its stderr', async () => {
    const program = { program: process.execPath, arguments: ['--eval', 'console.error("no"); process.exit(3)'] };
    const failure = 'ended with 3: no';
    expect(await tryRuntime(program, RELEASE)).toEqual({
      failures: { command: failure, demo: failure, bash: failure, memory: failure, disk: failure },
      stderr: 'no\n'.repeat(4),
    });
  });
});

describe('a release', () => {
  test("runs under the project's own Node, and writes nothing to stderr", { timeout: 240_000 }, async () => {
    const own = { program: process.execPath, arguments: [] };
    expect(await tryRuntime(own, RELEASE)).toEqual({ failures: {}, stderr: '' });
  });

  test.for(RUNTIMES)(
    'runs under $title $version, and writes nothing to stderr',
    { timeout: 240_000 },
    async (runtime, { skip }) => {
      const missing = missingReason(runtime, folder);
      if (missing !== undefined) {
        console.warn(`skipped: ${missing}`);
        skip(missing);
      }
      expect(await tryRuntime(programOf(runtime, folder), RELEASE)).toEqual({ failures: {}, stderr: '' });
    },
  );
});
