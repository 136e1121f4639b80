// Bundles a program that a test starts many times.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';

/** Packages with files that are not JavaScript. The programs do not use them. */
const NOT_BUNDLED = ['sharp', '@vscode/ripgrep'];

/**
 * Bundles a program and everything it imports into a few files before the tests of the calling file run, and removes
 * the bundle after them. A start of the bundle takes half the processor time of a start of the source, because Node
 * need not look for hundreds of modules.
 *
 * @param program Source file of the program.
 * @returns Function that returns the path of the bundle. Call it inside a test, because the bundle does not exist
 *   earlier.
 */
export function bundledProgram(program: URL): () => string {
  let folder = '';
  let file = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-bundle-'));
    const input = fileURLToPath(program);
    const bundle = await rolldown({ input, platform: 'node', external: NOT_BUNDLED });
    await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    file = join(folder, `${basename(input, '.ts')}.mjs`);
    await bundle.close();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return () => file;
}
