// Whether a memory file is still what the session was shown: who writes it whole must not write over a line by hand that no
// note has told of yet.

import type { ToolContext, ToolHistory } from '@tidemark/agent';
import { WorkspaceError } from '../workspace-error.ts';
import type { MemoryFile, MemoryName } from './memory-file.ts';
import { inShort, MEMORY_SOURCE, shownIn } from './memory-revision.ts';

/** Records read at once on the way back through a log. */
const PAGE = 500;

/** @throws WorkspaceError `workspace/changed` when the session knows other bytes, or none. */
export async function requireShown(
  name: MemoryName,
  { place, digest }: MemoryFile,
  { fileSeen, history }: ToolContext,
): Promise<void> {
  if (fileSeen(place.path)?.digest === digest) return;
  if (shownIn(await lastRevision(history), name) === inShort(digest)) return;
  const message = `${name} was changed by somebody else since this session was shown it; nothing was written. Read ${place.shown}, then consolidate what it says now.`;
  throw new WorkspaceError('workspace/changed', message, { path: place.shown });
}

async function lastRevision(history: ToolHistory): Promise<string | undefined> {
  for (let to = history.length; to > 0; to -= PAGE) {
    let last: string | undefined;
    for await (const record of history.read(Math.max(0, to - PAGE), to))
      if (record.kind === 'context.noted' && record.data.source === MEMORY_SOURCE) last = record.data.revision;
    if (last !== undefined) return last;
  }
  return undefined;
}
