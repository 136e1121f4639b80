// Finds the paths of image files in a pasted text. A terminal also pastes the paths of files that are dropped on it:
// quoted, with escaped spaces, or as `file:` addresses.

import { fileURLToPath } from 'node:url';

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

/** Length of the longest text that is read as paths. */
const MAX_LENGTH = 8_192;

/** One word: quoted, or with escaped characters. */
const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|((?:[^\s'"\\]|\\.)+)/gsy;

/**
 * Returns the paths of a text that consists only of paths of image files. Returns an empty list for any other text. A
 * path that begins with `~/` is in `userFolder`.
 */
export function imagePathsIn(text: string, userFolder: string): readonly string[] {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\n')) return [];
  // A terminal that quotes nothing pastes one path with its spaces.
  const whole = /^[/~]/.test(trimmed) && !/\\/.test(trimmed) && !/ (?=[/~'"])/.test(trimmed);
  const words = whole ? [trimmed] : wordsIn(trimmed);
  const paths = words?.map((word) => pathOf(word, userFolder)) ?? [];
  return paths.every((path) => path !== undefined && IMAGE_NAME.test(path))
    ? paths.filter((path) => path !== undefined)
    : [];
}

/** Returns the words of a text as a shell reads them. `undefined` if the text is not complete. */
function wordsIn(text: string): readonly string[] | undefined {
  const words: string[] = [];
  for (let at = 0; at < text.length;) {
    WORD.lastIndex = at;
    const match = WORD.exec(text);
    if (match === null) return undefined;
    const [found, single, double, plain] = match;
    words.push(single ?? (double ?? plain ?? '').replaceAll(/\\(.)/gs, '$1'));
    at += found.length;
    const gap = /^\s+/.exec(text.slice(at))?.[0].length ?? 0;
    if (gap === 0 && at < text.length) return undefined;
    at += gap;
  }
  return words;
}

function pathOf(word: string, userFolder: string): string | undefined {
  if (word.startsWith('~/')) return `${userFolder}/${word.slice(2)}`;
  if (!word.startsWith('file:')) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return undefined;
  }
}
