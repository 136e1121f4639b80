// The context source `instructions`: which AGENTS.md files this session has read, and whether they still are what was
// read. Their content is the model's to read with its tools, unless the user chose to have it attached.

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContextSource, SourceView } from '@tidemark/agent';
import { fileChunks } from '../confine/file-chunks.ts';
import { codeOf, unlessMissing } from '../confine/file-problem.ts';
import { openFile } from '../confine/open-file.ts';
import { oneLine } from './one-line.ts';
import { pathInside } from '../confine/path-inside.ts';
import { MOST_WHOLE } from '../write/current-file.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { WorkspacePlace } from '../confine/confine.ts';

/** How a session learns the instructions of a project. */
export interface InstructionsOptions {
  /**
   * `discover`, the default: the model finds and reads AGENTS.md itself; notes name files and digests, never content.
   * `attach`: a note also holds the AGENTS.md of the workspace's own folder.
   */
  readonly instructions?: 'discover' | 'attach';
}

const NAME = 'AGENTS.md';

const MOST_LISTED = 40;

/** Notes each AGENTS.md that the session's tools have read, with its digest, and that one is to be read again when it changed. */
export function instructionsSource({ instructions = 'discover' }: InstructionsOptions = {}): ContextSource {
  const survey = async (view: SourceView): Promise<string | undefined> => {
    const folder = await realpath(view.workspace);
    const attached = instructions === 'attach' ? await attachInstructions(folder, NAME) : undefined;
    const lines = await listRead(view, folder, attached);
    const parts = [lines.length === 0 ? undefined : [HEADING, ...lines].join('\n'), attached?.text];
    return parts.filter((part) => part !== undefined).join('\n\n') || undefined;
  };
  return {
    name: 'instructions',
    revision: async (view) => {
      const text = await survey(view);
      return text === undefined ? undefined : createHash('sha256').update(text).digest('hex').slice(0, 12);
    },
    render: async (view) => (await survey(view)) ?? '',
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}

const HEADING = 'Instruction files that you have read:';

async function listRead(
  { files, signal }: SourceView,
  folder: string,
  attached: Attachment | undefined,
): Promise<readonly string[]> {
  const known = [...files].filter(([path]) => basename(path) === NAME && path !== attached?.path).toSorted(byPath);
  const lines: string[] = [];
  for (const [path, digest] of known.slice(0, MOST_LISTED)) {
    if (digest === undefined) continue;
    const name = oneLine(pathInside(folder, path) ?? path, 200);
    lines.push(`- ${name} (sha256 ${digest.slice(0, 12)})${STATES[await stateOf(path, digest, signal)]}`);
  }
  if (known.length > MOST_LISTED) lines.push(`- and ${known.length - MOST_LISTED} more`);
  return lines;
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const STATES = {
  same: '',
  changed: ': changed since; read it again before you go on with work under it',
  gone: ': gone since; it no longer holds',
  unreadable: ': cannot be read now, so whether it changed is not known',
} as const;

async function stateOf(path: string, digest: string, signal: AbortSignal): Promise<keyof typeof STATES> {
  try {
    const now = await digestOf(path, signal);
    return now === undefined ? 'gone' : now === digest ? 'same' : 'changed';
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    const isGone = error.code === 'workspace/not-a-file' || codeOf(error.cause) === 'ENOTDIR';
    return isGone ? 'gone' : 'unreadable';
  }
}

/** No link is followed: what was read had a real path. */
async function digestOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  await using file = await openFile({ path, shown: path, inside: true });
  if (file === undefined) return undefined;
  // No file that was read whole is that large, so it is another one.
  if (file.stats.size > BigInt(MOST_WHOLE)) return '';
  const hash = createHash('sha256');
  for await (const chunk of fileChunks(file.handle, signal)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * The AGENTS.md of the workspace's own folder as a part of a note. It is attached only if the user chose so, and if it really
 * lies inside the folder.
 */
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
