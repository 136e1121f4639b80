// Errors of the workspace tools. If a running call throws such an error, the model reads the message. Therefore each
// message contains the next step.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Sort of a workspace error.
 *
 * - `refused`: report the error to the model or the user.
 * - `conflict`: read the current state again, then decide again.
 */
export type WorkspaceErrorSort = Extract<ErrorSort, 'refused' | 'conflict'>;

/** Code of a workspace error. */
export type WorkspaceErrorCode =
  | 'workspace/no-folder'
  | 'workspace/file-system'
  | 'workspace/moved'
  | 'workspace/not-a-file'
  | 'workspace/not-text'
  | 'workspace/too-large'
  | 'workspace/unread'
  | 'workspace/changed'
  | 'workspace/no-match'
  | 'workspace/many-matches'
  | 'workspace/overlap'
  | 'workspace/past-the-end'
  | 'workspace/no-output'
  | 'workspace/no-record'
  | 'workspace/secret-variable'
  | 'workspace/bad-search'
  | 'workspace/no-ripgrep'
  | 'workspace/memory-full'
  | 'workspace/not-restorable'
  | 'workspace/port'
  | 'workspace/no-process';

/** Sort of each error code. A test fails if an entry changes. */
export const WORKSPACE_ERRORS: Readonly<Record<WorkspaceErrorCode, WorkspaceErrorSort>> = {
  'workspace/no-folder': 'refused',
  'workspace/file-system': 'refused',
  'workspace/moved': 'conflict',
  'workspace/not-a-file': 'refused',
  'workspace/not-text': 'refused',
  'workspace/too-large': 'refused',
  'workspace/unread': 'conflict',
  'workspace/changed': 'conflict',
  'workspace/no-match': 'refused',
  'workspace/many-matches': 'refused',
  'workspace/overlap': 'refused',
  'workspace/past-the-end': 'refused',
  'workspace/no-output': 'refused',
  'workspace/no-record': 'refused',
  'workspace/secret-variable': 'refused',
  'workspace/no-ripgrep': 'refused',
  'workspace/bad-search': 'refused',
  'workspace/memory-full': 'refused',
  'workspace/not-restorable': 'refused',
  'workspace/port': 'refused',
  'workspace/no-process': 'refused',
};

/** An error of a workspace tool. The model reads its message, so the message contains the next step. */
export class WorkspaceError extends CodedError<WorkspaceErrorCode, ErrorData> {
  override readonly name = 'WorkspaceError';

  constructor(code: WorkspaceErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** Sort of the error. With the sort, the caller decides what to do next. */
  get sort(): WorkspaceErrorSort {
    return WORKSPACE_ERRORS[this.code];
  }
}
