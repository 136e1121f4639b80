// What the front door refuses, before anything runs.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** The name of an error of the kit. All are for the author of the agent: mend what is named. */
export type KitErrorCode =
  | 'kit/bad-options'
  | 'kit/bad-tool'
  | 'kit/no-schema'
  | 'kit/no-key'
  | 'kit/unknown-model'
  | 'kit/closed';

/** An error of the kit. The message says what happened, to what, and the next step. */
export class KitError extends CodedError<KitErrorCode, ErrorData> {
  override readonly name = 'KitError';

  constructor(code: KitErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }
}
