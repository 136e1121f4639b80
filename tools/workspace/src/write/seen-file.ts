// Whether a file is still what this session knows of it. Nobody's work is overwritten unseen.

import type { ToolContext, ToolPreview } from '@tidemark/agent';
import type { FileTouch } from '@tidemark/log';
import type { WorkspacePlace } from '../confine/confine.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { CurrentFile } from './current-file.ts';
import { baseOf } from './preview-change.ts';

/** What a preview and a run of a call have in common; a preview has no `approved`. */
export type Approvable = Pick<ToolContext, 'signal' | 'fileSeen' | 'approved'>;

/** @throws WorkspaceError `workspace/changed` when the session saw other bytes. A file that it never saw passes. */
export function assertAsSeen({ shown }: WorkspacePlace, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen === undefined || seen.digest === current.digest) return;
  throw new WorkspaceError(
    'workspace/changed',
    `${shown} changed since this session last read or wrote it; nothing was written. Read it again, then decide.`,
    { path: shown, was: seen.digest, is: current.digest },
  );
}

/** @throws WorkspaceError `workspace/unread` when the session never saw a file that holds something. */
export function assertSeen({ shown }: WorkspacePlace, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen !== undefined || current.stats.size === 0n) return;
  throw new WorkspaceError(
    'workspace/unread',
    `${shown} exists and was not read in this session; nothing was written. Read it first, or change a part of it with \`edit\`.`,
    { path: shown },
  );
}

/** @throws WorkspaceError `workspace/changed` when a person approved a change of other bytes. Without an approval it passes. */
export function assertApproved(
  { shown }: WorkspacePlace,
  current: Pick<CurrentFile, 'digest'> | undefined,
  approved: ToolPreview | undefined,
): void {
  if (approved === undefined || approved.base === baseOf(current)) return;
  throw new WorkspaceError(
    'workspace/changed',
    `${shown} changed after the user approved this call; nothing was written. Read it again, then decide.`,
    { path: shown },
  );
}
