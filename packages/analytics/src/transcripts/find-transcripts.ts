// Finds the transcripts of every coding agent on the machine. Only names, sizes and times are read. Each session in a
// database of OpenCode counts as a transcript.

import { opendir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { TidemarkError } from '@tidemark/core';
import type { AgentProgram, TranscriptPlace } from '@tidemark/recording';
import { sessionPath, sessionsInDatabase } from '@tidemark/recording';

/** Transcript on the machine: a file, or one session in a database. */
export interface FoundTranscript {
  readonly agent: AgentProgram;
  /** Path of the file. For a session in a database, `#` and the id of the session follow. */
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
    for await (const path of filesBelow(place.folder, place.depth ?? MAX_DEPTH, unreadable)) {
      if (!place.files.test(relative(place.folder, path).split(sep).join('/'))) continue;
      for (const found of await describe(place.agent, path, unreadable)) transcripts.set(found.path, found);
    }
  }
  const sorted = [...transcripts.values()].toSorted((a, b) => a.modified - b.modified || (a.path < b.path ? -1 : 1));
  return { transcripts: sorted, unreadable };
}

async function* filesBelow(folder: string, depth: number, unreadable: UnreadablePath[]): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) yield* filesBelow(path, depth - 1, unreadable);
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
): Promise<readonly FoundTranscript[]> {
  try {
    if (isDatabase(agent, path)) return storedSessions(agent, path);
    const { size, mtimeMs } = await stat(path);
    return size === 0 ? [] : [{ agent, path, bytes: size, modified: Math.trunc(mtimeMs) }];
  } catch (error) {
    const reason = error instanceof TidemarkError ? error.code : codeOf(error);
    if (reason === undefined) throw error;
    unreadable.push({ path, reason });
    return [];
  }
}

function isDatabase(agent: AgentProgram, path: string): boolean {
  return agent === 'opencode' && !path.endsWith('.json');
}

function storedSessions(agent: AgentProgram, path: string): readonly FoundTranscript[] {
  const sessions = sessionsInDatabase(path);
  return sessions.map(({ id, bytes, modified }) => ({ agent, path: sessionPath(path, id), bytes, modified }));
}

/** Returns the system's code of an error, such as `EACCES`. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
