// A place as rules look at it.

import type { Acts } from '@tidemark/agent';
import { sep } from 'node:path';
import type { Place } from './confine.ts';
import { pathInside } from './path-inside.ts';

/** The one path that a call touches; with `below`, all in that folder too. */
export function pathActs(folder: string, { path }: Pick<Place, 'path'>, below = false): Acts {
  const inside = pathInside(folder, path);
  return { paths: [{ path: inside === undefined ? path : inside.split(sep).join('/'), ...(below && { below }) }] };
}
