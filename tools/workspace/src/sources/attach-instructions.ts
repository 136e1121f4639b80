// The AGENTS.md of the workspace's own folder as a part of a note: only where the user chose so, and only what really
// lies inside the folder.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';
import { readHead } from './open-plain-file.ts';
import { pathInside } from '../confine/path-inside.ts';

/** What is attached. */
export interface Attachment {
  /** The file, symlinks followed. */
  readonly path: string;
  readonly text: string;
}

/** What is read of it; a note keeps 4 KiB of that inline, and the model reads on with `output_read`. */
const MOST_BYTES = 64 * 1024;

/** The file of this name in a real folder; `undefined` when there is none. A link out of the folder is said, not followed. */
export async function attachInstructions(folder: string, name: string): Promise<Attachment | undefined> {
  const path = await realFile(join(folder, name));
  if (path === undefined) return undefined;
  if (pathInside(folder, path) === undefined)
    return { path, text: `${name} of the workspace is a link to somewhere outside of it, and is not attached.` };
  const content = await readHead(path, MOST_BYTES + 1);
  if (content === undefined) return undefined;
  const long = Buffer.byteLength(content) > MOST_BYTES;
  const heading = `${name} of the workspace, attached by the user's choice${long ? `; here only its beginning, the rest is yours to read` : ''}:`;
  return { path, text: `${heading}\n\n${content}` };
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
