// Context source `instructions`: lists the AGENTS.md files that this session has read, and reports which of them have
// changed since then. The model reads their content with its tools, unless the user chose to attach the content.

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ContextSource, SourceView } from '@tidemark/agent';
import { fileChunks } from '../confine/file-chunks.ts';
import { codeOf, unlessMissing } from '../confine/file-problem.ts';
import { openFile } from '../confine/open-file.ts';
import { oneLine } from './one-line.ts';
import { pathInside } from '../confine/path-inside.ts';
import { MAX_WHOLE } from '../write/current-file.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { WorkspacePlace } from '../confine/confine.ts';

/** Options of `instructionsSource`. */
export interface InstructionsOptions {
  /**
   * How the model gets AGENTS.md. With the default `discover`, the model finds and reads AGENTS.md itself, and notes
   * contain only file names and digests. With `attach`, a note also contains the AGENTS.md of the workspace folder.
   */
  readonly instructions?: 'discover' | 'attach';
}

const NAME = 'AGENTS.md';

const MAX_LISTED = 40;

/**
 * Creates a context source that notes each AGENTS.md that the session's tools have read, with its digest. If such a
 * file has changed, the note asks the model to read the file again.
 */
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
      return text === undefined
        ? undefined
        : createHash('sha256').update(inEarlierWords(text)).digest('hex').slice(0, 12);
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
  for (const [path, digest] of known.slice(0, MAX_LISTED)) {
    if (digest === undefined) continue;
    const name = oneLine(pathInside(folder, path) ?? path, 200);
    lines.push(`- ${name} (sha256 ${digest.slice(0, 12)})${STATES[await stateOf(path, digest, signal)]}`);
  }
  if (known.length > MAX_LISTED) lines.push(`- and ${known.length - MAX_LISTED} more`);
  return lines;
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const STATES = {
  same: '',
  changed: ': changed since then; read it again before you continue work in its folder',
  gone: ': removed since then; it no longer applies',
  unreadable: ': cannot be read now, so it is unknown if it changed',
} as const;

/**
 * Words of the note, each with the words of earlier versions. The revision is computed from the earlier words.
 * Therefore a session that began with an earlier version does not receive the same note again.
 */
const REWORDED: readonly (readonly [words: string, earlier: string])[] = [
  [STATES.changed, ': changed since; read it again before you go on with work under it'],
  [STATES.gone, ': gone since; it no longer holds'],
  [STATES.unreadable, ': cannot be read now, so whether it changed is not known'],
  [
    '; only its beginning is shown here, so read the rest yourself',
    '; here only its beginning, the rest is yours to read',
  ],
  ['is a link to a place outside the workspace, and is not', 'is a link to somewhere outside of it, and is not'],
];

function inEarlierWords(text: string): string {
  return REWORDED.reduce((result, [words, earlier]) => result.replaceAll(words, earlier), text);
}

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

/**
 * Returns the digest of a file. If the file does not exist, returns `undefined`. Links are not followed, because the
 * recorded path is a real path.
 */
async function digestOf(path: string, signal: AbortSignal): Promise<string | undefined> {
  await using file = await openFile({ path, shown: path, inside: true });
  if (file === undefined) return undefined;
  // A file of this size is never read completely, so the session cannot have read this file. The empty text differs
  // from every digest. Therefore the file is reported as changed.
  if (file.stats.size > BigInt(MAX_WHOLE)) return '';
  const hash = createHash('sha256');
  for await (const chunk of fileChunks(file.handle, signal)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Text for a note about the AGENTS.md of the workspace folder. The content is attached only if the user chose this and
 * the real file is inside the folder.
 */
export interface Attachment {
  /** Path of the file, with symlinks followed. */
  readonly path: string;
  readonly text: string;
}

/**
 * Maximum number of bytes that are read. The note contains the first 4 KiB of them, and the model reads more with
 * `output_read`.
 */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the text for a file with this name in a folder. If the file does not exist, returns `undefined`. `folder` is
 * a real path. If the file is a link to a place outside the folder, the link is not followed, and the text reports
 * this.
 */
export async function attachInstructions(folder: string, name: string): Promise<Attachment | undefined> {
  const path = await unlessMissing(realpath(join(folder, name)));
  if (path === undefined) return undefined;
  if (pathInside(folder, path) === undefined)
    return { path, text: `${name} of the workspace is a link to a place outside the workspace, and is not attached.` };
  const content = await readBeginning({ path, shown: name, inside: true });
  if (content === undefined) return undefined;
  if (content instanceof WorkspaceError)
    return { path, text: `${name} of the workspace could not be read, and is not attached: ${content.message}` };
  const long = Buffer.byteLength(content) > MAX_BYTES;
  const heading = `${name} of the workspace, attached by the user's choice${long ? '; only its beginning is shown here, so read the rest yourself' : ''}:`;
  return { path, text: `${heading}\n\n${content}` };
}

/**
 * Returns the beginning of a file. If there is no regular file at the path, returns `undefined`. If tools must not read
 * the file, or if a part of its path became a link, returns the error.
 */
async function readBeginning(place: WorkspacePlace): Promise<string | WorkspaceError | undefined> {
  try {
    await using file = await openFile(place);
    if (file === undefined) return undefined;
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    return error.code === 'workspace/not-a-file' ? undefined : error;
  }
}
