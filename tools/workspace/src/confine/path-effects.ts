// A place as the matrix and rules look at it.

import type { CallEffects } from '@tidemark/agent';
import { sep } from 'node:path';
import type { WorkspacePlace } from './confine.ts';
import { pathInside } from './path-inside.ts';

/** The one path that a call touches; with `below`, all in that folder too. */
export function pathEffects(folder: string, { path }: Pick<WorkspacePlace, 'path'>, below = false): CallEffects {
  const inside = pathInside(folder, path);
  return { paths: [{ path: inside === undefined ? path : inside.split(sep).join('/'), ...(below && { below }) }] };
}

/** Whether a write of the place is allowed without a question in mode `auto`. */
export function isConfined({ inside, asks }: WorkspacePlace): boolean {
  return inside && asks === undefined;
}

/** What a call would do to the place, with the reason why it is asked about: `write .bashrc (a shell runs it at its start)`. */
export function titleOfWrite(action: string, { shown, asks }: WorkspacePlace): string {
  return asks === undefined ? `${action} ${shown}` : `${action} ${shown} (${asks})`;
}
