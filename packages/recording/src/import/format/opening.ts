// The beginning of a prompt, as a title for a session that has none.

import type { Json } from '@tidemark/log';
import { listOf, objectOf, textOf } from '../file/fields.ts';

const LONGEST = 80;

/** The first line with words in it, at most 80 characters; nothing for text that a program wrote in angle brackets. */
export function openingOf(content: Json | undefined): string | undefined {
  const text = textOf(content) ?? textOf(objectOf(listOf(content)[0])['text']);
  const line = text
    ?.slice(0, 4096)
    .split('\n')
    .find((one) => one.trim() !== '')
    ?.trim();
  if (line === undefined || line.startsWith('<')) return undefined;
  if (line.length <= LONGEST) return line.toWellFormed();
  // A pair of surrogates is cut whole.
  return `${line
    .slice(0, LONGEST - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}
