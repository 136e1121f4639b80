// Opens a text in the editor that the user has set in `VISUAL` or `EDITOR`.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { CommandEnvironment } from '../../../frame/home.ts';

/** Result of an external editor: the new text, or a sentence about what failed. */
export type ExternalEdit = { readonly text: string } | { readonly problem: string };

/** Environment of an external editor. */
export interface ExternalEditorPlace {
  readonly environment: CommandEnvironment;
  readonly folder: string;
  /** Streams of the editor. Default: the terminal. */
  readonly stdio?: 'inherit' | 'ignore';
}

const DEFAULT_EDITOR = 'vi';

/** Returns the command of the user's editor, as the user has set it. It can contain arguments. */
export function editorCommand(environment: CommandEnvironment): string {
  const set = [environment['VISUAL'], environment['EDITOR']].find((name) => name !== undefined && name.trim() !== '');
  return set ?? DEFAULT_EDITOR;
}

/**
 * Writes the text to a file that only the user can read, waits until the editor ends, and returns the text of the file.
 * Removes the file. An editor that cannot start or ends with an error is reported, and its text is ignored.
 */
export async function editOutside(text: string, place: ExternalEditorPlace): Promise<ExternalEdit> {
  const command = editorCommand(place.environment);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-prompt-'));
  const path = join(folder, 'prompt.md');
  try {
    await writeFile(path, text, { mode: 0o600 });
    const problem = await runEditor(command, path, place);
    if (problem !== undefined) return { problem: `the editor \`${command}\` ${problem}; the text is unchanged` };
    return { text: (await readFile(path, 'utf8')).replace(/\r?\n$/, '') };
  } catch (error) {
    return { problem: `the text could not be edited: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Opens a file in the editor of the user, and waits until the editor ends. Returns a sentence about what failed, if
 * anything did.
 */
export async function editFile(path: string, place: ExternalEditorPlace): Promise<string | undefined> {
  const command = editorCommand(place.environment);
  const problem = await runEditor(command, path, place);
  return problem === undefined ? undefined : `the editor \`${command}\` ${problem}`;
}

/** The shell reads the command, as git does, because it can contain arguments and quotes. */
function runEditor(
  command: string,
  path: string,
  { environment, folder, stdio = 'inherit' }: ExternalEditorPlace,
): Promise<string | undefined> {
  const options = { stdio, cwd: folder, env: { ...environment } };
  return new Promise((resolve) => {
    const child =
      process.platform === 'win32'
        ? spawn(`${command} "${path}"`, { ...options, shell: true })
        : spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', path], options);
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('close', (code, signal) => resolve(endOf(code, signal)));
  });
}

function endOf(code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined;
  if (code === 127) return 'was not found';
  return code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
}
