// Bundled program for a fast start: the program and its imports are bundled into a few small files, as
// `docs/guides/03-embed.md` shows.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

/** The folder is inside the project, so that the packages excluded from the bundle are found from it. */
const FOLDER = fileURLToPath(new URL('../results/joined/', import.meta.url));

/** Packages excluded from the bundle, because they contain files that are not JavaScript. */
const OUTSIDE = ['sharp', '@vscode/ripgrep'];

/**
 * Bundles a program and returns the path to start.
 * @throws the errors of rolldown.
 */
export async function joinProgram(path: string, name: string): Promise<string> {
  const joined = await rolldown({ input: { [name]: path }, platform: 'node', external: OUTSIDE });
  try {
    await joined.write({ dir: FOLDER, cleanDir: true, minify: true });
  } finally {
    await joined.close();
  }
  return join(FOLDER, `${name}.js`);
}
