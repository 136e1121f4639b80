// Folders in which the Codex CLI keeps its rollouts. Only paths are listed here. The format of a file is recognised from
// its content.

import { isAbsolute, join } from 'node:path';
import type { PlacesInput, TranscriptPlace } from '../format/place.ts';

/**
 * Returns the folders with rollouts: `sessions/<year>/<month>/<day>` and, for archived threads, `archived_sessions`. The
 * Codex CLI, its desktop app and its extensions for editors use the same folders, on all operating systems. `CODEX_HOME`
 * replaces `~/.codex`. A file that ends in `.zst` is compressed. Sources: `codex-rs/utils/home-dir` and
 * `codex-rs/rollout/src/lib.rs` of openai/codex (`SESSIONS_SUBDIR`, `ARCHIVED_SESSIONS_SUBDIR`), and the files of
 * version 0.169.0.
 */
export function codexPlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const { CODEX_HOME: asked } = environment;
  const home = asked !== undefined && isAbsolute(asked) ? asked : join(userFolder, '.codex');
  const files = /(?:^|\/)rollout-[^/]+\.jsonl(?:\.zst)?$/;
  return ['sessions', 'archived_sessions'].map((name) => ({ agent: 'codex', folder: join(home, name), files }));
}
