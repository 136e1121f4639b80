// Finds the transcripts of every coding agent on the machine. Only names, sizes and times are read.

import { opendir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { AgentProgram, TranscriptPlace } from '@tidemark/recording';

/** Transcript file on the machine. */
export interface FoundTranscript {
  readonly agent: AgentProgram;
  readonly path: string;
  readonly bytes: number;
  /** Time of the last change, in milliseconds since the Unix epoch. */
  readonly modified: number;
}

/** File or folder that cannot be read, with the reason. */
export interface UnreadablePath {
  readonly path: string;
  readonly reason: string;
}

/** Result of a search. */
export interface FoundTranscripts {
  /** Transcripts, the one with the oldest change first. */
  readonly transcripts: readonly FoundTranscript[];
  readonly unreadable: readonly UnreadablePath[];
}

/** Maximum depth of folders below a place. Agents use at most six: project, session, subagents, and dates. */
const MAX_DEPTH = 8;

/**
 * Finds the transcripts in these places. Links to folders are not followed, so a search always ends. A place that does
 * not exist has no transcripts. A folder that cannot be read is reported, and the search goes on.
 */
export async function findTranscripts(places: readonly TranscriptPlace[]): Promise<FoundTranscripts> {
  const transcripts = new Map<string, FoundTranscript>();
  const unreadable: UnreadablePath[] = [];
  for (const place of places) {
    for await (const path of filesBelow(place.folder, 0, unreadable)) {
      if (!place.files.test(relative(place.folder, path).split(sep).join('/'))) continue;
      const found = await describe(place.agent, path, unreadable);
      if (found !== undefined) transcripts.set(path, found);
    }
  }
  const sorted = [...transcripts.values()].toSorted((a, b) => a.modified - b.modified || (a.path < b.path ? -1 : 1));
  return { transcripts: sorted, unreadable };
}

async function* filesBelow(folder: string, depth: number, unreadable: UnreadablePath[]): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH) yield* filesBelow(path, depth + 1, unreadable);
      else if (entry.isFile()) yield path;
    }
  } catch (error) {
    const reason = codeOf(error);
    if (reason === undefined) throw error;
    if (reason !== 'ENOENT' && reason !== 'ENOTDIR') unreadable.push({ path: folder, reason });
  }
}

async function describe(
  agent: AgentProgram,
  path: string,
  unreadable: UnreadablePath[],
): Promise<FoundTranscript | undefined> {
  try {
    const { size, mtimeMs } = await stat(path);
    return size === 0 ? undefined : { agent, path, bytes: size, modified: Math.trunc(mtimeMs) };
  } catch (error) {
    const reason = codeOf(error);
    if (reason === undefined) throw error;
    unreadable.push({ path, reason });
    return undefined;
  }
}

/** Returns the system's code of an error, such as `EACCES`. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
