// Reads the images that come with a prompt: files in any folder, or an image piped to stdin. The runtime checks the
// format and decides if an image can be sent.

import { resolve } from 'node:path';

import { FileError, readRegularFile } from '@tidemark/files';
import type { GivenImage } from '@tidemark/kit';

import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';

/** Image name that means stdin. With it, the user can pipe in the content of the clipboard. */
const PIPED = '-';

/** Maximum size of one image, in bytes. The whole image is in memory. */
export const MAX_IMAGE_BYTES: number = 64 * 1024 * 1024;

/** Names given with `--image`. `words` is true if the prompt also has words on the command line. */
export interface NamedImages {
  readonly names: readonly string[];
  readonly words: boolean;
}

/**
 * Reads the images and returns them as parts of a prompt, in the order of their names.
 *
 * @throws CliError `cli/not-found` when a file does not exist.
 * @throws CliError `cli/refused` when an image is too large or cannot be read as a regular file.
 * @throws CliError `cli/usage` when `-` is given two times, without piped input, or without a prompt in words.
 */
export async function imagesOf(
  { names, words }: NamedImages,
  { folder, input }: CommandContext,
): Promise<readonly GivenImage[]> {
  const piped = names.filter((name) => name === PIPED).length;
  if (piped > 0 && (!input.piped || !words || piped > 1))
    throw new CliError(
      'cli/usage',
      '`--image -` needs one piped image and a prompt on the command line',
      'pipe in one image and add a prompt: `tidemark --image - "what is wrong here?" < form.png`',
    );
  return Promise.all(
    names.map(async (name): Promise<GivenImage> => {
      if (name === PIPED) return { type: 'image', data: await pipedImage(input), name: 'that was piped in' };
      return readImage(folder, name);
    }),
  );
}

/**
 * Reads an image from a file. A relative name is in `folder`.
 *
 * @throws CliError `cli/not-found` when the file does not exist.
 * @throws CliError `cli/refused` when the image is too large or cannot be read as a regular file.
 */
export async function readImage(folder: string, name: string): Promise<GivenImage> {
  return { type: 'image', data: await bytesOf(resolve(folder, name), name), name };
}

async function pipedImage(input: CommandContext['input']): Promise<Uint8Array> {
  const data = await input.bytes(MAX_IMAGE_BYTES);
  if (data.length <= MAX_IMAGE_BYTES) return data;
  throw new CliError(
    'cli/refused',
    `the piped image is larger than the maximum of ${MAX_IMAGE_BYTES} bytes`,
    'pipe in a smaller image',
  );
}

async function bytesOf(path: string, name: string): Promise<Uint8Array> {
  try {
    return await readRegularFile(path, { most: MAX_IMAGE_BYTES });
  } catch (error) {
    if (!(error instanceof FileError)) throw notRead(name, error);
    const next =
      error.code === 'file/too-large' ? `use an image of at most ${MAX_IMAGE_BYTES} bytes` : 'use an image file';
    throw new CliError('cli/refused', `${name} ${error.what}`, next, error);
  }
}

function notRead(name: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isGone = code === 'ENOENT' || code === 'ENOTDIR';
  return isGone ? new CliError('cli/not-found', `the image ${name} does not exist`, 'check the path', error) : error;
}
