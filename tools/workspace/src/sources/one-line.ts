// Shows the name of a file, folder or branch in a note. An attacker may have chosen the name. Therefore the name is
// shown as one quoted line of limited length. Characters that control a terminal, reverse text or are invisible are
// shown as escapes.

import { graphemesOf } from '@tidemark/model';
import { showName } from '../confine/show-name.ts';

const LONGEST = 100;

/**
 * Returns at most `longest` characters of the name in double quotes. Control and format characters are replaced by
 * escapes.
 */
export function oneLine(name: string, longest: number = LONGEST): string {
  const shown = [...graphemesOf(showName(name.slice(0, longest * 2)))].map(({ segment }) => segment);
  const cut = shown.length > longest || name.length > longest * 2;
  return `"${shown.slice(0, longest).join('').replaceAll('"', "'")}${cut ? '…' : ''}"`;
}
