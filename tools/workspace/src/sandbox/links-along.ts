// Links of a path: lists every link that is followed to reach the target of a path. If one of these links changes, the
// target of the path changes.

import { readlinkSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';

/** Maximum number of links that are followed. The limit is needed because links can form a circle. */
const MAX_LINKS = 40;

/**
 * Returns every link between an absolute path and its target, in the order in which the links are followed. If the
 * target of a link contains further links, they are included. The folder of each returned link is a real path. For a
 * path without links, returns an empty list, even if the path does not exist.
 */
export function linksAlong(path: string): readonly string[] {
  const links: string[] = [];
  const left = path.split(sep);
  let at: string = sep;
  for (let name = left.shift(); name !== undefined && links.length < MAX_LINKS; name = left.shift()) {
    if (name === '..') at = dirname(at);
    if (name === '' || name === '.' || name === '..') continue;
    const next = join(at, name);
    const target = targetOf(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push(next);
    if (target.startsWith(sep)) at = sep;
    left.unshift(...target.split(sep));
  }
  return links;
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
