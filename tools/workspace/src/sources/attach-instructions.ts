// The AGENTS.md of the workspace's own folder as a part of a note: only where the user chose so, and only what really
// lies inside the folder.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspacePlace } from '../confine/confine.ts';
import { unlessMissing } from '../confine/file-problem.ts';
import { openFile } from '../confine/open-file.ts';
import { pathInside } from '../confine/path-inside.ts';
import { WorkspaceError } from '../workspace-error.ts';

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
  const path = await unlessMissing(realpath(join(folder, name)));
  if (path === undefined) return undefined;
  if (pathInside(folder, path) === undefined)
    return { path, text: `${name} of the workspace is a link to somewhere outside of it, and is not attached.` };
  const content = await readBeginning({ path, shown: name, inside: true });
  if (content === undefined) return undefined;
  if (content instanceof WorkspaceError)
    return { path, text: `${name} of the workspace could not be read, and is not attached: ${content.message}` };
  const long = Buffer.byteLength(content) > MOST_BYTES;
  const heading = `${name} of the workspace, attached by the user's choice${long ? `; here only its beginning, the rest is yours to read` : ''}:`;
  return { path, text: `${heading}\n\n${content}` };
}

/** `undefined` when there is no such file; the error when it may not be read, or a part of its path became a link. */
async function readBeginning(place: WorkspacePlace): Promise<string | WorkspaceError | undefined> {
  try {
    await using file = await openFile(place);
    if (file === undefined) return undefined;
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(MOST_BYTES + 1), 0, MOST_BYTES + 1, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return error.code === 'workspace/not-a-file' ? undefined : error;
  }
}
