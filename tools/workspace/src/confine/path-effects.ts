// Describes a path for the permission matrix and the permission rules.

import type { CallEffects } from '@tidemark/agent';
import { sep } from 'node:path';
import type { WorkspacePlace } from './confine.ts';
import { pathInside } from './path-inside.ts';

/**
 * Returns the effects of a call that uses one path, for permission rules. If `below` is true, the effects include
 * everything below that path.
 */
export function pathEffects(folder: string, { path }: Pick<WorkspacePlace, 'path'>, below = false): CallEffects {
  const inside = pathInside(folder, path);
  return { paths: [{ path: inside === undefined ? path : inside.split(sep).join('/'), ...(below && { below }) }] };
}

/** Returns true if mode `auto` allows a write to the place without asking the user. */
export function isConfined({ inside, asks }: WorkspacePlace): boolean {
  return inside && asks === undefined;
}

/**
 * Returns the title of a write. If the user must be asked, the title contains the reason: `write .bashrc (a shell runs
 * it at its start)`.
 */
export function titleOfWrite(action: string, { shown, asks }: WorkspacePlace): string {
  return asks === undefined ? `${action} ${shown}` : `${action} ${shown} (${asks})`;
}
