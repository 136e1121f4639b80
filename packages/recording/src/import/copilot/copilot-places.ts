// Folders in which the Copilot CLI keeps its sessions. Only paths are listed here. The format of a file is recognised
// from its content.

import { isAbsolute, join } from 'node:path';
import type { PlacesInput, TranscriptPlace } from '../format/place.ts';

/**
 * Returns the folders with sessions: `session-state/<id>/events.jsonl`, and `session-state/<id>.jsonl` of the first
 * versions. They are the same on all operating systems. `COPILOT_HOME` replaces `~/.copilot`. Versions before 1.0 used
 * `$XDG_STATE_HOME/.copilot` if this variable was set. Sources: `copilot help environment` of version 1.0.102, the
 * shipped code of versions 0.0.423 and 1.0.24, and the files of versions 1.0.24, 1.0.60 and 1.0.102.
 */
export function copilotPlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const { COPILOT_HOME: asked = '', XDG_STATE_HOME: state = '' } = environment;
  const homes = [isAbsolute(asked) ? asked : join(userFolder, '.copilot')];
  if (isAbsolute(state)) homes.push(join(state, '.copilot'));
  const files = /^[^/]+(?:\/events)?\.jsonl$/;
  return homes.map((home) => ({ agent: 'copilot', folder: join(home, 'session-state'), files }));
}
