// Words of a skill where they stand in a list: one line, nothing in it that ends a line, hides or opens an element.

import { graphemeAt } from '@tidemark/model';

/** On one line, at most so many UTF-16 units, cut between graphemes with an ellipsis. */
export function oneLine(text: string, most: number): string {
  const line = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .trim();
  if (line.length <= most) return line;
  const end = graphemeAt(line, most - 1)?.index ?? 0;
  return `${line.slice(0, end).trimEnd()}…`;
}
