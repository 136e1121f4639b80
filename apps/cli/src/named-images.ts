// Images that come with a prompt: files of the user's own, wherever they lie. What they are, and whether they can be sent,
// is for the runtime to say.

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { GivenImage } from '@tidemark/kit';

import { CliError } from './failure.ts';

/** Most bytes of one: it stands in memory whole. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The files as parts of a prompt, in the order in which they were named. @throws CliError `cli/not-found`, `cli/refused`. */
export function imagesOf(names: readonly string[], folder: string): Promise<readonly GivenImage[]> {
  return Promise.all(
    names.map(async (name) => ({ type: 'image', name, data: await bytesOf(resolve(folder, name), name) })),
  );
}

async function bytesOf(path: string, name: string): Promise<Uint8Array> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError('cli/not-found', `the image ${name} is not there`, 'name a file that is', error);
  });
  if (!found.isFile()) throw new CliError('cli/refused', `${name} is no file`, 'name an image');
  if (found.size > MOST_BYTES)
    throw new CliError('cli/refused', `${name} has ${found.size} bytes`, `name an image of at most ${MOST_BYTES}`);
  return readFile(path);
}
