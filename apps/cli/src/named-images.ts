// Images that come with a prompt: files of the user's own, wherever they lie, or what is piped in. What they are, and whether
// they can be sent, is for the runtime to say.

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import type { GivenImage } from '@tidemark/kit';

import type { CommandContext } from './command.ts';
import { CliError } from './failure.ts';

/** What stands for stdin, so that a clipboard can be piped in. */
const PIPED = '-';

/** Most bytes of one: it stands in memory whole. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What a line says of images, and whether its prompt has words of its own. */
export interface NamedImages {
  readonly names: readonly string[];
  readonly words: boolean;
}

/** The images as parts of a prompt, in the order in which they were named. @throws CliError `cli/not-found`, `cli/refused`, `cli/usage`. */
export async function imagesOf(
  { names, words }: NamedImages,
  { folder, input }: CommandContext,
): Promise<readonly GivenImage[]> {
  const piped = names.filter((name) => name === PIPED).length;
  if (piped > 0 && (!input.piped || !words || piped > 1))
    throw new CliError(
      'cli/usage',
      '--image - is an image that is piped in',
      'pipe one in, and say what to do with it',
    );
  return Promise.all(
    names.map(async (name): Promise<GivenImage> => {
      if (name === PIPED) return { type: 'image', data: await input.bytes(), name: 'that was piped in' };
      return { type: 'image', data: await bytesOf(resolve(folder, name), name), name };
    }),
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
