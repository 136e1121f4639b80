// A name from outside in a note: it may be chosen by somebody who means harm, so it is one quoted line without anything
// that steers a terminal, turns text around or cannot be seen, and it has a longest length.

import { graphemesOf } from '@tidemark/model';
import { showName } from '../confine/show-name.ts';

const LONGEST = 100;

/** The name in double quotes, at most so many characters of it; control and format characters are shown as escapes. */
export function oneLine(name: string, longest: number = LONGEST): string {
  const shown = [...graphemesOf(showName(name.slice(0, longest * 2)))].map(({ segment }) => segment);
  const cut = shown.length > longest || name.length > longest * 2;
  return `"${shown.slice(0, longest).join('').replaceAll('"', "'")}${cut ? '…' : ''}"`;
}
