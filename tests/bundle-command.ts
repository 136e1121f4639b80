// Bundles the command once for all tests that start it as a process.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

import { bundleProgram } from '../scripts/bundle-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Absolute path of the bundled command, a program for Node. */
    readonly command: string;
  }
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'apps/cli');
let folder = '';

/**
 * Bundles the command into a folder like that of an installed command, and provides the path of its program as
 * `command`. The bundle saves time: the command's source loads more than a thousand modules, and its start takes three
 * times the processor time. Three tests need the source and start it: `process.int.test.ts`, `shim.int.test.ts` and
 * `loaded-modules.int.test.ts`.
 */
export async function setup(project: TestProject): Promise<void> {
  // In `node_modules`, Node finds the packages that are not bundled.
  folder = mkdtempSync(join(ROOT, 'node_modules', '.tidemark-command-'));
  await bundleProgram({ entry: join(SOURCE, 'src/main.ts'), to: folder, target: 'node24' });
  mkdirSync(join(folder, 'demo'));
  for (const path of ['package.json', 'bin', 'demo/project', 'demo/recording.jsonl'])
    cpSync(join(SOURCE, path), join(folder, path), { recursive: true });
  project.provide('command', join(folder, 'bin/tidemark.cjs'));
}

/** Removes the bundled command. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
