// What the front door refuses, before anything runs.

/** The name of an error of the kit. All are for the author of the agent: mend what is named. */
export type KitErrorCode =
  | 'kit/bad-options'
  | 'kit/bad-tool'
  | 'kit/no-schema'
  | 'kit/no-key'
  | 'kit/unknown-model'
  | 'kit/closed';

/** An error of the kit. The message says what happened, to what, and the next step. */
export class KitError extends Error {
  override readonly name = 'KitError';
  readonly code: KitErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: KitErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}
