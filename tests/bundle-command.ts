// Bundles the command once for all tests that start it as a process.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Absolute path of the bundled command, a program for Node. */
    readonly command: string;
  }
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'apps/cli');
/** Packages with files that are not JavaScript. Node finds them from the folder of the bundle. */
const NOT_BUNDLED = ['sharp', '@vscode/ripgrep', '@napi-rs/keyring'];

let folder = '';

/**
 * Writes a folder like the one of an installed command, and provides the path of its program as `command`. A start from the
 * source loads more than a thousand modules and takes three times the processor time. `process.int.test.ts`,
 * `shim.int.test.ts` and `loaded-modules.int.test.ts` start the source.
 */
export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(ROOT, 'node_modules', '.tidemark-command-'));
  const input = { main: join(SOURCE, 'src/main.ts') };
  // `jsonc-parser` has an entry that cannot be bundled, and one for bundlers.
  const resolve = { mainFields: ['module', 'main'] };
  const bundle = await rolldown({ input, platform: 'node', external: NOT_BUNDLED, resolve });
  await bundle.write({ dir: folder, chunkFileNames: '[name].js' });
  await bundle.close();
  mkdirSync(join(folder, 'demo'));
  for (const path of ['package.json', 'bin', 'demo/project', 'demo/recording.jsonl'])
    cpSync(join(SOURCE, path), join(folder, path), { recursive: true });
  project.provide('command', join(folder, 'bin/tidemark.cjs'));
}

/** Removes the folder. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
