// Finds the files that a prompt names, such as `@src/tax.js`, or `@"a b.txt"` if the name has spaces. The words of the
// prompt stay unchanged. Each existing file is appended after the words as a separate part. The model therefore does
// not have to guess which words are paths.

import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { ContentPart } from '@tidemark/log';

const NAMED = /(?<![^\s(])@(?:"([^"\n]+)"|(\S+))/g;
/** Matches punctuation that follows a name in a sentence. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;

/**
 * Returns the words as a text part, followed by one part for each file or folder of the workspace that the words name.
 * Any other `@` remains plain text.
 */
export async function partsOf(words: string, workspace: string): Promise<readonly ContentPart[]> {
  const text: ContentPart = { type: 'text', text: words };
  // If the workspace does not exist, the turn reports the error later.
  const folder = words.includes('@') ? await realpath(workspace).catch(() => undefined) : undefined;
  if (folder === undefined) return [text];
  const named = [...words.matchAll(NAMED)].map(([, quoted, plain = '']) =>
    quoted === undefined ? [plain, plain.replace(PUNCTUATION, '')] : [quoted],
  );
  const found = await Promise.all(named.map((names) => firstInside(names, folder)));
  const paths = new Set(found.filter((path) => path !== undefined));
  return [text, ...[...paths].map((path): ContentPart => ({ type: 'file', path }))];
}

async function firstInside(names: readonly string[], folder: string): Promise<string | undefined> {
  for (const name of names) {
    const path = name === '' ? undefined : await pathInside(name, folder);
    if (path !== undefined) return path;
  }
  return undefined;
}

/**
 * Returns the path relative to the workspace. If there is no file or folder at the path, returns `undefined`. If the
 * path or its symbolic link leads out of the workspace, also returns `undefined`.
 */
async function pathInside(name: string, folder: string): Promise<string | undefined> {
  const path = relative(folder, resolve(folder, name)) || '.';
  try {
    return isInside(path) && isInside(relative(folder, await realpath(join(folder, path)))) ? path : undefined;
  } catch {
    // If the path cannot be checked for any reason, the word remains plain text.
    return undefined;
  }
}

function isInside(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
