// Files that a prompt names: `@src/tax.js`, or `@"a b.txt"` where the name has spaces. The words stay as they were typed; each
// file that is there stands behind them as a part of its own, so that the model need not guess what is a path.

import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { ContentPart } from '@tidemark/log';

const NAMED = /(?<![^\s(])@(?:"([^"\n]+)"|(\S+))/g;
/** What a sentence puts behind a name. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;

/** The words, and behind them each file or folder of the workspace that they name, once. Any other `@` is words. */
export async function partsOf(words: string, workspace: string): Promise<readonly ContentPart[]> {
  const text: ContentPart = { type: 'text', text: words };
  // A workspace that is not there is for the turn to say.
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

/** As it was typed, from the workspace on; `undefined` where nothing is, or where it leads out of the workspace. */
async function pathInside(name: string, folder: string): Promise<string | undefined> {
  const path = relative(folder, resolve(folder, name)) || '.';
  try {
    return isInside(path) && isInside(relative(folder, await realpath(join(folder, path)))) ? path : undefined;
  } catch {
    // Whatever keeps it from being looked at, it stays a word that somebody typed.
    return undefined;
  }
}

function isInside(path: string): boolean {
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
