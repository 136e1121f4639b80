// Checks that a file is still in the state that this session knows. Therefore no change by another writer is
// overwritten without notice.

import type { FileSeen, ToolContext, ToolPreview } from '@tidemark/agent';
import type { FileTouch } from '@tidemark/log';
import type { WorkspacePlace } from '../confine/confine.ts';
import { WorkspaceError } from '../workspace-error.ts';
import type { CurrentFile } from './current-file.ts';
import { baseOf } from './preview-change.ts';

/** Part of a call's context. Both the preview and the run of the call use this part. A preview has no `approved`. */
export type Approvable = Pick<ToolContext, 'signal' | 'fileSeen' | 'approved' | 'undo'>;

/**
 * Checks that a file has the bytes that the session last saw. If the session never saw the file, there is no error.
 *
 * @throws WorkspaceError `workspace/changed` when the session saw other bytes.
 */
export function assertAsSeen({ shown }: WorkspacePlace, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen === undefined || seen.digest === current.digest) return;
  throw new WorkspaceError(
    'workspace/changed',
    `${shown} changed since this session last read or wrote it; nothing was written. Read it again, then decide.`,
    { path: shown, was: seen.digest, is: current.digest },
  );
}

/**
 * Checks that the session has seen a file. If the file is empty, there is no error.
 *
 * @throws WorkspaceError `workspace/unread` when the session never saw the file and the file is not empty.
 */
export function assertSeen({ shown }: WorkspacePlace, current: CurrentFile, seen: FileTouch | undefined): void {
  if (seen !== undefined || current.stats.size === 0n) return;
  throw new WorkspaceError(
    'workspace/unread',
    `${shown} exists, but this session has not read it; nothing was written. Read it first, or change a part of it with \`edit\`.`,
    { path: shown },
  );
}

/**
 * Checks that the model has the whole content of a file in its context, so that it does not replace content that it does
 * not know.
 *
 * @throws WorkspaceError `workspace/unread` when the model never had the whole content, or no longer has it.
 */
export function assertKnown({ shown }: WorkspacePlace, { stats }: CurrentFile, seen: FileSeen | undefined): void {
  if (seen?.missing === undefined || stats.size === 0n) return;
  if (seen.shows === 'other-form')
    throw new WorkspaceError(
      'workspace/unread',
      `${shown} was not replaced: you were shown a picture of it or its text, and not its bytes; nothing was written. Write to another path, or ask the user to remove it.`,
      { path: shown },
    );
  const [why, next] =
    seen.missing === 'dropped'
      ? ['its content is no longer in your context', 'Read it again']
      : ['you have read only a part of it', 'Read the rest'];
  throw new WorkspaceError(
    'workspace/unread',
    `${shown} was not replaced: ${why}; nothing was written. ${next}, or change a part of it with \`edit\`.`,
    { path: shown },
  );
}

/**
 * Checks that a file still has the bytes for which a person approved the change. If the call has no approval, there is
 * no error.
 *
 * @throws WorkspaceError `workspace/changed` when the approval was for other bytes.
 */
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
