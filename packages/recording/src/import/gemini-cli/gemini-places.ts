// Folders in which the Gemini CLI keeps its sessions. Only paths are listed here. The format of a file is recognised
// from its content.

import { isAbsolute, join } from 'node:path';
import type { PlacesInput, TranscriptPlace } from '../format/place.ts';

/**
 * Returns the folders with sessions: `.gemini/tmp/<project>/chats`, with a folder per session for its subagents. A
 * project is a name, or in older versions a hash. Version 0.38 and older ones write `.json`, version 0.61
 * `.jsonl`.
 * `GEMINI_CLI_HOME` replaces the home folder of the user. In the sandbox of macOS the folder is below `.cache`. The paths
 * are the same on all operating systems. Sources: `packages/core/src/config/storage.ts` (`getGlobalRuntimeDir`),
 * `packages/core/src/utils/paths.ts` (`homedir`) and `chatRecordingService.ts` in the bundle of `@google/gemini-cli`
 * 0.61.0, and the files of versions 0.20.0, 0.38.2 and 0.61.0.
 */
export function geminiPlaces({ userFolder, environment }: PlacesInput): readonly TranscriptPlace[] {
  const { GEMINI_CLI_HOME: asked } = environment;
  const home = asked !== undefined && isAbsolute(asked) ? asked : userFolder;
  const files = /^[^/]+\/chats\/(?:session-[^/]+\.jsonl?|[^/]+\/[^/]+\.jsonl?)$/;
  return [join(home, '.gemini'), join(home, '.cache', '.gemini')].map((folder) => ({
    agent: 'gemini-cli',
    folder: join(folder, 'tmp'),
    files,
  }));
}
