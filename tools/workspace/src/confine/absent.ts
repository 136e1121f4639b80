// A file that is not there, with the names that are.

import { WorkspaceError } from '../workspace-error.ts';
import type { Confinement, WorkspacePlace } from './confine.ts';
import { nearNames } from './near-names.ts';

/** The error of a missing file or folder: names what beside it may have been meant. Code `workspace/file-system`. */
export async function absent(place: WorkspacePlace, confinement: Confinement): Promise<WorkspaceError> {
  const near = await nearNames(place, confinement);
  const next = near.length === 0 ? 'Look with `ls` or `find`.' : `Near it: ${near.join(', ')}.`;
  return new WorkspaceError('workspace/file-system', `${place.shown} does not exist. ${next}`, {
    path: place.shown,
    near,
  });
}
