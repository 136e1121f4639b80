// Folders in which OpenCode keeps its sessions. Only paths are listed here. The format of a file is recognised from its
// content.

import { basename, dirname, isAbsolute, join } from 'node:path';
import type { PlacesInput, TranscriptPlace } from '../format/place.ts';

/**
 * Returns the places of sessions: the databases of versions since 1.2, and the folder of older versions, which newer
 * versions leave in place. OpenCode uses `~/.local/share/opencode` on all operating systems. `XDG_DATA_HOME` replaces
 * `~/.local/share`. `OPENCODE_DB` names another database, relative to the same folder. Test channels have databases of
 * their own, `opencode-<channel>.db`. Sources: `packages/opencode/src/global` and `packages/opencode/src/storage/db.ts`
 * of anomalyco/opencode, and the files of versions 1.1.65, 1.2.27 and 1.18.33.
 */
export function openCodePlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const { XDG_DATA_HOME: base, OPENCODE_DB: asked } = environment;
  const shared = base !== undefined && isAbsolute(base) ? base : join(userFolder, '.local', 'share');
  const home = join(shared, 'opencode');
  const places: TranscriptPlace[] = [
    { agent: 'opencode', folder: home, files: /^opencode(?:-[\w.-]+)?\.db$/, depth: 0 },
    { agent: 'opencode', folder: join(home, 'storage', 'session'), files: /^[^/]+\/ses_[^/]+\.json$/ },
  ];
  if (asked === undefined || asked === '' || asked === ':memory:') return places;
  const path = isAbsolute(asked) ? asked : join(home, asked);
  const files = new RegExp(`^${basename(path).replaceAll(/[$()*+./?[\\\]^{|}-]/g, '\\$&')}$`);
  return [...places, { agent: 'opencode', folder: dirname(path), files, depth: 0 }];
}
