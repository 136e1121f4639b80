// Slash commands that the user wrote: Markdown files in `.agents/commands` of a trusted workspace, and in `commands` of
// the user's configuration folder. Their text is a prompt. It can contain placeholders for the arguments.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { readRegularFile } from '@tidemark/files';
import { liesInside } from '@tidemark/settings';

import { plainText } from '../../frame/plain-text.ts';

/** A slash command in a file. */
export interface FileCommand {
  readonly name: string;
  readonly summary: string;
  /** Arguments that the file describes, such as `<issue>`. */
  readonly argument?: string;
  /** Text of the prompt, with placeholders. */
  readonly body: string;
  readonly path: string;
}

/** A file that cannot be used as a slash command, with the reason. */
export interface BadFileCommand {
  readonly path: string;
  readonly reason: string;
}

/** Slash commands in files, and files that cannot be used. */
export interface FoundFileCommands {
  readonly commands: readonly FileCommand[];
  readonly bad: readonly BadFileCommand[];
}

/** Folders that are searched. An earlier folder takes precedence. */
export interface CommandFolder {
  readonly folder: string;
  /** Folder in which the commands must lie, also after links were followed. */
  readonly inside?: string;
}

/** Names that a file cannot have, with the reason. */
export type TakenNames = ReadonlySet<string>;

/** Largest file that is read, in bytes. */
const LARGEST = 65_536;
/** Maximum number of files of one folder. */
const MOST_FILES = 200;
const LONGEST_SUMMARY = 200;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Folder of slash commands inside a workspace. */
export const WORKSPACE_COMMANDS: string = join('.agents', 'commands');

/** Reads the slash commands of the folders, sorted by name. `taken` contains the names of the built-in commands. */
export async function findFileCommands(
  folders: readonly CommandFolder[],
  taken: TakenNames,
): Promise<FoundFileCommands> {
  const commands = new Map<string, FileCommand>();
  const bad: BadFileCommand[] = [];
  for (const place of folders) {
    for (const path of await filesOf(place)) {
      const read = await readFileCommand(path, taken);
      if ('reason' in read) bad.push(read);
      else if (commands.has(read.name))
        bad.push({ path, reason: `${commands.get(read.name)?.path} has the same name` });
      else commands.set(read.name, read);
    }
  }
  return { commands: [...commands.values()].toSorted((a, b) => a.name.localeCompare(b.name)), bad };
}

async function filesOf({ folder, inside }: CommandFolder): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0 || (inside !== undefined && !(await liesInside(folder, inside)))) return [];
  return names
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .slice(0, MOST_FILES)
    .map((name) => join(folder, name));
}

async function readFileCommand(path: string, taken: TakenNames): Promise<FileCommand | BadFileCommand> {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
  if (!NAME.test(name)) return { path, reason: 'its name has characters other than a-z, 0-9, _ and -' };
  if (taken.has(name)) return { path, reason: `/${name} is a command of Tidemark` };
  const text = await readText(path);
  if (typeof text !== 'string') return { path, ...text };
  const { description, argument, body } = withoutFrontMatter(text);
  if (body === '') return { path, reason: 'it has no text' };
  const summary =
    plainText(description ?? body)
      .trim()
      .split('\n', 1)[0] ?? '';
  return {
    name,
    summary: summary.length <= LONGEST_SUMMARY ? summary : `${summary.slice(0, LONGEST_SUMMARY)}…`,
    ...(argument !== undefined && { argument: argument.slice(0, LONGEST_SUMMARY) }),
    body,
    path,
  };
}

async function readText(path: string): Promise<string | Pick<BadFileCommand, 'reason'>> {
  try {
    const bytes = await readRegularFile(path, { most: LARGEST, links: 'refuse' });
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n');
    // The user would not see such characters in an editor, and the model would read them.
    return plainText(text) === text ? text : { reason: 'it contains control characters' };
  } catch (error) {
    if (error instanceof TypeError) return { reason: 'it is not UTF-8' };
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'file/too-large') return { reason: `it is larger than ${LARGEST} bytes` };
    return { reason: code === 'ELOOP' ? 'it is a symbolic link' : 'it is not a readable file' };
  }
}

interface FrontMatter {
  readonly description?: string;
  readonly argument?: string;
  readonly body: string;
}

/** Reads the fields `description` and `argument-hint` of the front matter. Other fields are ignored. */
function withoutFrontMatter(text: string): FrontMatter {
  const [whole = '', head = ''] = /^---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|$)/.exec(text) ?? [];
  const description = fieldOf(head, /^description:(.*)$/m);
  const argument = fieldOf(head, /^argument-hint:(.*)$/m);
  return {
    body: text.slice(whole.length).trim(),
    ...(description !== undefined && { description }),
    ...(argument !== undefined && { argument }),
  };
}

function fieldOf(head: string, field: RegExp): string | undefined {
  const [, value = ''] = field.exec(head) ?? [];
  const plain = value.trim().replace(/^(["'])(.*)\1$/, '$2');
  return plain === '' ? undefined : plain;
}

/** Matches `$ARGUMENTS` and `$1` to `$9`. */
const PLACEHOLDER = /\$(ARGUMENTS|[1-9])/g;

/**
 * Returns the prompt of a command: each placeholder is replaced by the arguments, or by one word of them. A word that
 * was not given is empty. If the text has no placeholder, the arguments follow it.
 */
export function expandCommand(body: string, text: string, words: readonly string[]): string {
  if (body.search(PLACEHOLDER) === -1) return text === '' ? body : `${body}\n\n${text}`;
  return body.replaceAll(PLACEHOLDER, (_, name: string) =>
    name === 'ARGUMENTS' ? text : (words[Number(name) - 1] ?? ''),
  );
}
