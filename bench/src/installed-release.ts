// Builds the project's packages as `npm run release` does, so that a program imports them as an installation does.

import { execFileSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAKE = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url));
/** The folder is inside the project, so that third-party packages are found from it. */
const FOLDER = fileURLToPath(new URL('../results/release/', import.meta.url));

/**
 * Builds the packages, copies a program next to them, and returns the path to start.
 * @throws Error if the packages cannot be built.
 */
export async function besideRelease(program: string): Promise<string> {
  buildRelease();
  const placed = join(FOLDER, basename(program));
  await copyFile(program, placed);
  return placed;
}

/**
 * Builds the packages, and returns the path of the released command.
 * @throws Error if the packages cannot be built.
 */
export function releasedCommand(): string {
  buildRelease();
  return join(FOLDER, 'node_modules/tidemark/bin/tidemark.cjs');
}

function buildRelease(): void {
  execFileSync(process.execPath, [MAKE, FOLDER]);
}
