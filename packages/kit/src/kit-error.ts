// Errors of the kit. Most of them are thrown before any session runs.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Code of a kit error. Every kit error is for the author of the agent. The message names the problem, and the author
 * has to correct it.
 */
export type KitErrorCode =
  | 'kit/bad-options'
  | 'kit/bad-tool'
  | 'kit/no-schema'
  | 'kit/no-key'
  | 'kit/unknown-model'
  | 'kit/bad-id'
  | 'kit/closed';

/** Error of the kit. The message contains the problem, the affected object, and the next action. */
export class KitError extends CodedError<KitErrorCode, ErrorData> {
  override readonly name = 'KitError';

  constructor(code: KitErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }
}
