// The packages of the house as an installation has them, made by `npm run release`, for programs that import them.

import { execFileSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAKE = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url));
/** Inside the project, so that the packages of others are found from there. */
const FOLDER = fileURLToPath(new URL('../results/release/', import.meta.url));

/** Puts a program beside them, and gives the path of what to start. @throws Error when they cannot be made. */
export async function besideRelease(program: string): Promise<string> {
  execFileSync(process.execPath, [MAKE, FOLDER]);
  const placed = join(FOLDER, basename(program));
  await copyFile(program, placed);
  return placed;
}
