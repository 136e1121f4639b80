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
/**
 * Packages that cannot be bundled because they contain files other than JavaScript or are loaded by another process,
 * and a package for developers that is not installed. Node finds the others because the folder of the bundle is in
 * `node_modules`.
 */
const NOT_BUNDLED = ['sharp', '@vscode/ripgrep', '@napi-rs/keyring', 'unpdf', 'react-devtools-core'];

let folder = '';

/**
 * Bundles the command into a folder like that of an installed command, and provides the path of its program as
 * `command`. The bundle saves time: the command's source loads more than a thousand modules, and its start takes three
 * times the processor time. Three tests need the source and start it: `process.int.test.ts`, `shim.int.test.ts` and
 * `loaded-modules.int.test.ts`.
 */
export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(ROOT, 'node_modules', '.tidemark-command-'));
  const input = { main: join(SOURCE, 'src/main.ts') };
  // The default entry of `jsonc-parser` cannot be bundled. Its `module` entry is made for bundlers.
  const resolve = { mainFields: ['module', 'main'] };
  // React contains its checks for developers otherwise.
  const transform = { define: { 'process.env.NODE_ENV': '"production"' } };
  const bundle = await rolldown({ input, platform: 'node', external: NOT_BUNDLED, resolve, transform });
  await bundle.write({ dir: folder, chunkFileNames: '[name].js' });
  await bundle.close();
  mkdirSync(join(folder, 'demo'));
  for (const path of ['package.json', 'bin', 'demo/project', 'demo/recording.jsonl'])
    cpSync(join(SOURCE, path), join(folder, path), { recursive: true });
  project.provide('command', join(folder, 'bin/tidemark.cjs'));
}

/** Removes the bundled command. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
