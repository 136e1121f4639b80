// The beginning of a prompt, as a title for a session that has none.

import type { Json } from '@tidemark/log';
import { listOf, objectOf, textOf } from './file/fields.ts';

const LONGEST = 80;

/** The first line with words in it, at most 80 characters; nothing for text that a program wrote in angle brackets. */
export function openingOf(content: Json | undefined): string | undefined {
  const text = textOf(content) ?? textOf(objectOf(listOf(content)[0])['text']);
  const line = text?.slice(0, 4096).split('\n').find((one) => one.trim() !== '')?.trim();
  if (line === undefined || line.startsWith('<')) return undefined;
  const characters = [...line.toWellFormed()];
  return characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST - 1).join('')}…`;
}
