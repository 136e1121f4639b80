// The links that a path leads through: to exchange one of them is to exchange what the path names.

import { readlinkSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { codeOf } from '../confine/file-problem.ts';

/** More links than this are a circle. */
const MOST_LINKS = 40;

/**
 * Returns every link on the way of an absolute path to what it names, in the order of the way, those that links lead through
 * included. Each is in a folder that is reached through no link. A path without links has none, there or not.
 */
export function linksAlong(path: string): readonly string[] {
  const links: string[] = [];
  const left = path.split(sep);
  let at: string = sep;
  for (let name = left.shift(); name !== undefined && links.length < MOST_LINKS; name = left.shift()) {
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

/** Where a link leads; `undefined` for what is no link, is not there, or is closed to this user. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
