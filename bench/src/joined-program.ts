// A program as its author ships it who wants it to start fast: joined with all that it imports into few and small files, as
// `docs/guides/03-embed.md` shows.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

/** Inside the project, so that what stays outside is found from there. */
const FOLDER = fileURLToPath(new URL('../results/joined/', import.meta.url));

/** They bring files that are no JavaScript. */
const OUTSIDE = ['sharp', '@vscode/ripgrep'];

/** Joins a program, and gives the path of what to start. @throws what rolldown throws. */
export async function joinProgram(path: string, name: string): Promise<string> {
  const joined = await rolldown({ input: { [name]: path }, platform: 'node', external: OUTSIDE });
  try {
    await joined.write({ dir: FOLDER, cleanDir: true, minify: true });
  } finally {
    await joined.close();
  }
  return join(FOLDER, `${name}.js`);
}
