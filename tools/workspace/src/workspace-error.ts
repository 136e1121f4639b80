// What a tool of the workspace could not do. Thrown from a running call it is the error that the model reads, so each
// message carries the next step.

import type { ErrorData, ErrorSort } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** `refused`: tell the model or the user; `conflict`: read again, decide again. */
export type WorkspaceErrorSort = Extract<ErrorSort, 'refused' | 'conflict'>;

/** The name of a workspace error. */
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
  | 'workspace/past-the-end'
  | 'workspace/no-output'
  | 'workspace/no-record'
  | 'workspace/secret-variable'
  | 'workspace/bad-search'
  | 'workspace/no-ripgrep'
  | 'workspace/memory-full'
  | 'workspace/port';

/** Every code, with its sort. Pinned by a test. */
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
  'workspace/past-the-end': 'refused',
  'workspace/no-output': 'refused',
  'workspace/no-record': 'refused',
  'workspace/secret-variable': 'refused',
  'workspace/no-ripgrep': 'refused',
  'workspace/bad-search': 'refused',
  'workspace/memory-full': 'refused',
  'workspace/port': 'refused',
};

/** An error of a workspace tool. The model reads its message, so the message carries the next step. */
export class WorkspaceError extends CodedError<WorkspaceErrorCode, ErrorData> {
  override readonly name = 'WorkspaceError';

  constructor(code: WorkspaceErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** What to do next. */
  get sort(): WorkspaceErrorSort {
    return WORKSPACE_ERRORS[this.code];
  }
}
