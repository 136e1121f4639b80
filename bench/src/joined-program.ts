// A program as a release would have it: our own sources joined into one file without types, the packages of others beside.
// Today nothing is released; what this shows is how much of a start is the number of files.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

/** Inside the project, so that the packages of others are found from there. */
const FOLDER = fileURLToPath(new URL('../results/joined/', import.meta.url));

/** Joins a program, and gives the path of what to start. @throws what rolldown throws. */
export async function joinProgram(path: string, name: string): Promise<string> {
  const joined = await rolldown({ input: { [name]: path }, platform: 'node', external: isOfOthers });
  try {
    await joined.write({ dir: FOLDER, format: 'esm' });
  } finally {
    await joined.close();
  }
  return join(FOLDER, `${name}.js`);
}

function isOfOthers(specifier: string): boolean {
  return !/^(?:[./]|@tidemark\/)/.test(specifier);
}
