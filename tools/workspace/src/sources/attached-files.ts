// Finds the instruction files for a note: those of the user, of the folders from the root of the repository down to the
// workspace, and of the workspace. The nearest file comes last.

import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { codeOf, unlessMissing } from '../confine/file-problem.ts';
import { openFile } from '../confine/open-file.ts';
import { pathInside } from '../confine/path-inside.ts';
import { WorkspaceError } from '../workspace-error.ts';
import { oneLine } from './one-line.ts';

/** Text for a note with instruction files. */
export interface Attachment {
  /** Real paths of the files whose content is in the text. */
  readonly paths: readonly string[];
  readonly text: string;
  /** Text of an earlier version for the same state. Absent if it could not describe this state. */
  readonly earlier?: string;
}

/** Places in which instruction files are looked up. */
export interface InstructionPlaces {
  /** Real path of the workspace folder. */
  readonly folder: string;
  /** True if the files of the workspace and of the folders above it are attached. */
  readonly project: boolean;
  /** Paths of the user's own files, farthest first. */
  readonly own: readonly string[];
}

/** Names of instruction files. In each folder, only the first one that exists counts. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;

/**
 * Maximum size of all contents together, in bytes. The files of the user get their room first, because no tool can read
 * the rest of them. Then the nearest files are kept whole first. The note says what is cut.
 */
const ROOM = 24_576;
/** Maximum number of bytes that are read from one file. */
const MAX_READ = ROOM + 4;
/** Maximum number of files in one note. Those of the user and the nearest ones are kept. */
const MAX_FILES = 12;
/** Maximum number of folders above the workspace that are searched for the root of its repository. */
const MAX_ABOVE = 40;

const TITLE =
  'Instructions of the user and of the project. They are complete unless a line says otherwise, so do not read these files again. If two of them differ, the later one takes precedence. Folders below the workspace can have further AGENTS.md files: look for them before you work there.';

/** Reads the instruction files. Returns `undefined` if there are none. */
export async function attachInstructions({ folder, project, own }: InstructionPlaces): Promise<Attachment | undefined> {
  const found: InstructionFile[] = [];
  for (const path of own) found.push(...(await ownFile(resolve(path))));
  if (project) found.push(...(await projectFiles(folder)));
  const files = nearestFiles(withoutCopies(found));
  if (files.length === 0) return undefined;
  const parts = fitted(files);
  const attached = files.filter(({ content }) => content !== undefined);
  return {
    paths: attached.map(({ path }) => path),
    text: [TITLE, ...parts].join('\n\n'),
    ...earlierOf(files),
  };
}

function nearestFiles(files: readonly InstructionFile[]): readonly InstructionFile[] {
  const own = files.filter(isOwn).slice(-MAX_FILES);
  const ofProject = files.filter((file) => !isOwn(file));
  return [...own, ...ofProject.slice(Math.max(0, ofProject.length - (MAX_FILES - own.length)))];
}

const OF_USER = 'of the user';

function isOwn({ of }: InstructionFile): boolean {
  return of === OF_USER;
}

/** An instruction file, or a file of such a name that cannot be attached. */
interface InstructionFile {
  /** Real path. */
  readonly path: string;
  /** Name for the model, such as `AGENTS.md` or `../AGENTS.md`. */
  readonly shown: string;
  /** Place of the file in words. */
  readonly of: string;
  /** Beginning of the content. Absent if the file is not attached. */
  readonly content?: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Reason why the file is not attached. */
  readonly problem?: string;
  /** True if the tools of the workspace can read the file. */
  readonly readable: boolean;
  /** Files that a CLAUDE.md imports. They are not attached. */
  readonly imports: readonly string[];
}

async function ownFile(path: string): Promise<readonly InstructionFile[]> {
  const real = await unlessMissing(realpath(path));
  if (real === undefined) return [];
  const home = pathInside(homedir(), path);
  const shown = oneLine(home === undefined ? path : `~/${home}`, 200);
  return readInstructions(real, { shown, of: OF_USER, readable: false });
}

async function projectFiles(folder: string): Promise<readonly InstructionFile[]> {
  const levels = await levelsOf(folder);
  const root = levels[0] ?? folder;
  const files: InstructionFile[] = [];
  for (const level of levels) files.push(...(await fileOf(level, { root, folder })));
  return files;
}

async function fileOf(
  level: string,
  { root, folder }: { readonly root: string; readonly folder: string },
): Promise<readonly InstructionFile[]> {
  const of = level === folder ? 'of the workspace' : 'of a folder above the workspace';
  for (const name of NAMES) {
    const path = await unlessMissing(realpath(join(level, name)));
    if (path === undefined) continue;
    const shown = oneLine(join(relative(folder, level), name), 200);
    if (pathInside(root, path) === undefined)
      return [{ ...UNREAD, path, shown, of, problem: 'it is a link to a place outside the workspace' }];
    const found = await readInstructions(path, { shown, of, readable: pathInside(folder, path) !== undefined });
    if (found.length > 0) return found;
  }
  return [];
}

const UNREAD = { size: 0, readable: false, imports: [] };

/**
 * Returns the folders from the root of the repository down to the workspace. Without a repository, and if a folder on
 * the way belongs to another user, returns only the workspace. Another user could otherwise give instructions with a
 * repository in a folder such as `/tmp`.
 */
async function levelsOf(folder: string): Promise<readonly string[]> {
  const uid = (await stat(folder).catch(() => undefined))?.uid;
  if (uid === undefined) return [folder];
  const levels: string[] = [folder];
  for (let at = folder; levels.length <= MAX_ABOVE; at = dirname(at)) {
    const there = await stat(join(at, '.git')).catch(() => undefined);
    if (there !== undefined) return there.uid === uid ? levels : [folder];
    const above = dirname(at);
    if (above === at || (await stat(above).catch(() => undefined))?.uid !== uid) return [folder];
    levels.unshift(above);
  }
  return [folder];
}

type Named = Pick<InstructionFile, 'shown' | 'of' | 'readable'>;

/** Returns the file with its content. Returns an empty list for an empty file, and for anything but a regular file. */
async function readInstructions(path: string, named: Named): Promise<readonly InstructionFile[]> {
  try {
    await using file = await openFile({ path, shown: named.shown, inside: true });
    if (file === undefined) return [];
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(MAX_READ), 0, MAX_READ, 0);
    const content = new TextDecoder().decode(buffer.subarray(0, bytesRead)).replaceAll(/\r\n?/g, '\n').trim();
    if (content === '') return [];
    const size = Math.max(Number(file.stats.size), Buffer.byteLength(content));
    const imports = basename(path) === 'CLAUDE.md' ? await importsOf(content, dirname(path)) : [];
    return [{ path, ...named, content, size: bytesRead < MAX_READ ? Buffer.byteLength(content) : size, imports }];
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === 'workspace/not-a-file' || codeOf(error.cause) === 'ENOTDIR') return [];
    return [{ ...UNREAD, path, ...named, problem: error.message }];
  }
}

/** Maximum number of imports that are looked up and listed. */
const MAX_IMPORTS = 20;

/**
 * Returns the files that a CLAUDE.md imports with `@path`, outside of code. Of the files below its folder, only existing
 * ones are listed. Other paths are not looked up, because the note would tell which files of the user exist.
 */
async function importsOf(content: string, folder: string): Promise<readonly string[]> {
  const prose = content.replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');
  const named = new Set(
    [...prose.matchAll(/(?<=^|\s)@((?:~\/|\.{0,2}\/)?[\w.-][\w./-]*)/gm)].map(([, path = '']) => path),
  );
  const found: string[] = [];
  for (const path of [...named].slice(0, MAX_IMPORTS)) {
    const full = path.startsWith('~/') ? undefined : pathInside(folder, resolve(folder, path));
    const isThere = full === undefined || (await stat(join(folder, full)).catch(() => undefined))?.isFile() === true;
    if (isThere) found.push(path);
  }
  return found;
}

/** Returns the files without a second path to the same file, such as a CLAUDE.md that is a link to AGENTS.md. */
function withoutCopies(files: readonly InstructionFile[]): readonly InstructionFile[] {
  const seen = new Set<string>();
  return files.filter(({ path }) => !seen.has(path) && seen.add(path));
}

/** Returns the text of each file, in their order. The contents together have at most `ROOM` bytes. */
function fitted(files: readonly InstructionFile[]): readonly string[] {
  let room = ROOM;
  const texts = new Map<InstructionFile, string>();
  const nearestFirst = files.toReversed();
  for (const file of [...nearestFirst.filter(isOwn), ...nearestFirst.filter((each) => !isOwn(each))]) {
    const part = partOf(file, room);
    room -= Buffer.byteLength(part.content);
    texts.set(file, part.text);
  }
  return files.map((file) => texts.get(file) ?? '');
}

function partOf(
  { shown, of, content, size, problem, readable, imports }: InstructionFile,
  room: number,
): { readonly content: string; readonly text: string } {
  const heading = `# ${shown} (${of})`;
  if (content === undefined)
    return { content: '', text: `${heading}\n\n[Not attached: ${problem ?? 'it is unknown why'}.]` };
  const kept = beginningOf(content, room);
  const next = readable
    ? `Read the rest with read, path ${shown}.`
    : 'Tools cannot read the rest, because it is outside of the workspace: ask the user if you need it.';
  const cut =
    Buffer.byteLength(kept) < size ? [`[Cut after ${Buffer.byteLength(kept)} of ${size} bytes. ${next}]`] : [];
  const imported =
    imports.length === 0
      ? []
      : [
          `[It imports ${imports.map((path) => `@${path}`).join(', ')}. Imports are not attached: read them before you work.]`,
        ];
  return { content: kept, text: [heading, ...(kept === '' ? [] : [kept]), ...cut, ...imported].join('\n\n') };
}

/** Returns the beginning of a content with at most `room` bytes, cut between lines if possible. */
function beginningOf(content: string, room: number): string {
  if (Buffer.byteLength(content) <= room) return content;
  const bytes = Buffer.from(content).subarray(0, Math.max(0, room));
  const line = bytes.lastIndexOf('\n');
  // A line that fills half of the room is cut. A character that is cut in two is dropped.
  const end = line > room / 2 ? line : bytes.length;
  return bytes
    .subarray(0, end)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
    .trimEnd();
}

/**
 * Returns the text of the version that attached only the AGENTS.md of the workspace. A session that has this text does
 * not get the same content again.
 */
function earlierOf(files: readonly InstructionFile[]): Pick<Attachment, 'earlier'> {
  const [only, ...others] = files;
  if (only?.content === undefined || others.length > 0 || only.shown !== '"AGENTS.md"') return {};
  return { earlier: only.content };
}
