// Whether a file is still what this session knows of it. Nobody's work is overwritten unseen.

import type { FileTouch } from '@tidemark/log';
import type { Place } from '../confine/confine.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { CurrentFile } from './current-file.ts';

/** @throws WorkspaceError `workspace/changed` when the session saw other bytes. A file that it never saw passes. */
export function assertAsSeen({ shown }: Place, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen === undefined || seen.digest === current.digest) return;
  throw new WorkspaceError(
    'workspace/changed',
    `${shown} changed since this session last read or wrote it; nothing was written. Read it again, then decide.`,
    { path: shown, was: seen.digest, is: current.digest },
  );
}

/** @throws WorkspaceError `workspace/unread` when the session never saw a file that holds something. */
export function assertSeen({ shown }: Place, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen !== undefined || current.stats.size === 0n) return;
  throw new WorkspaceError(
    'workspace/unread',
    `${shown} exists and was not read in this session; nothing was written. Read it first, or change a part of it with \`edit\`.`,
    { path: shown },
  );
}
