// Installs skills in a folder like that of a user: copies of the real skills in the tests of `tools/skills`, each with
// its own name.

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REAL = fileURLToPath(new URL('../../tools/skills/tests/skills/', import.meta.url));

/**
 * Installs a number of skills in a folder.
 * @throws Error if there is no skill to copy.
 */
export async function installSkills(folder: string, count: number): Promise<void> {
  const names = (await readdir(REAL)).toSorted();
  for (let index = 0; index < count; index += 1) {
    const name = names[index % names.length];
    if (name === undefined) throw new Error(`there is no skill to copy in ${REAL}`);
    await install(join(REAL, name), join(folder, `${name}-${index}`), `${name}-${index}`);
  }
}

async function install(from: string, to: string, name: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const file = join(to, 'SKILL.md');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^name: .*$/m, `name: ${name}`));
}
