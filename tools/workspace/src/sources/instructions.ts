// Context source `instructions`: the text of the instruction files that are attached, and a list of the AGENTS.md files
// that the session has read. The list says which of them have changed since then.

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ContextSource, SourceView } from '@tidemark/agent';
import { fileChunks } from '../confine/file-chunks.ts';
import { codeOf } from '../confine/file-problem.ts';
import { openFile } from '../confine/open-file.ts';
import type { Attachment } from './attached-files.ts';
import { attachInstructions } from './attached-files.ts';
import { oneLine } from './one-line.ts';
import { pathInside } from '../confine/path-inside.ts';
import { MAX_WHOLE } from '../write/current-file.ts';
import { WorkspaceError } from '../workspace-error.ts';

/** Options of `instructionsSource`. */
export interface InstructionsOptions {
  /**
   * How the model gets the instruction files of the project. With the default `discover`, the model finds and reads
   * AGENTS.md itself, and notes contain only file names and digests. With `attach`, a note also contains the files of
   * the workspace folder and of the folders above it, up to the root of the repository.
   */
  readonly instructions?: 'discover' | 'attach';
  /** Paths of the user's own instruction files, which are attached before those of the project. Default: none. */
  readonly own?: readonly string[];
  /**
   * True to attach files only to a session that begins with them. A session that began without them stays as it is.
   * Default: false.
   */
  readonly onlyNew?: boolean;
}

const NAME = 'AGENTS.md';

const MAX_LISTED = 40;

/** Maximum size of the note in the context, in bytes. The contents and their headings are smaller than this. */
const INLINE = 32_768;

/** Beginning of the revision of a note with attached files. */
const ATTACHED = 'attached-';

/**
 * Creates a context source with the instruction files. It notes each AGENTS.md that the session's tools have read, with
 * its digest. If such a file has changed, the note asks the model to read the file again. With `attach`, the note also
 * contains the text of the files.
 */
export function instructionsSource({
  instructions = 'discover',
  own = [],
  onlyNew = false,
}: InstructionsOptions = {}): ContextSource {
  const survey = async (view: SourceView): Promise<FoundInstructions> => {
    const folder = await realpath(view.workspace);
    const attaches = !onlyNew || !view.begun || view.noted?.startsWith(ATTACHED) === true;
    const project = instructions === 'attach';
    const attached = attaches ? await attachInstructions({ folder, project, own }) : undefined;
    const lines = await listRead(view, folder, attached);
    return { list: lines.length === 0 ? undefined : [HEADING, ...lines].join('\n'), attached };
  };
  return {
    name: 'instructions',
    inlineBytes: INLINE,
    revision: async (view) => revisionOf(await survey(view), view),
    render: async (view) => {
      const { list, attached } = await survey(view);
      return textOf(list, attached?.text) ?? '';
    },
    affectedBy: ({ effect }) => effect === 'write' || effect === 'execute',
  };
}

interface FoundInstructions {
  /** List of the files that were read. Absent if none was read. */
  readonly list: string | undefined;
  readonly attached: Attachment | undefined;
}

function textOf(list: string | undefined, attached: string | undefined): string | undefined {
  return [list, attached].filter((part) => part !== undefined).join('\n\n') || undefined;
}

function revisionOf({ list, attached }: FoundInstructions, { noted }: SourceView): string | undefined {
  if (attached === undefined) return list === undefined ? undefined : digestOfText(inEarlierWords(list));
  const { text, earlier } = attached;
  // An earlier version attached only one file, with another heading. Its session keeps its note.
  const before = earlier && textOf(list, `AGENTS.md of the workspace, attached by the user's choice:\n\n${earlier}`);
  const kept = before === undefined ? undefined : digestOfText(inEarlierWords(before));
  if (kept !== undefined && kept === noted) return kept;
  return `${ATTACHED}${digestOfText(textOf(list, text) ?? '')}`;
}

function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const HEADING = 'Instruction files that you have read:';

async function listRead(
  { files, signal }: SourceView,
  folder: string,
  attached: Attachment | undefined,
): Promise<readonly string[]> {
  const known = [...files]
    .filter(([path]) => basename(path) === NAME && attached?.paths.includes(path) !== true)
    .toSorted(byPath);
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
