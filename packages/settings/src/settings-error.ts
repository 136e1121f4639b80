// Errors of the `settings` package. The user can fix each of them. If one setting of a source is refused, no part of
// that source takes effect.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

export type SettingsErrorCode =
  | 'settings/unreadable'
  | 'settings/not-usable'
  | 'settings/too-much'
  | 'settings/trust-inside'
  | 'settings/trust-damaged'
  | 'settings/grants-inside'
  | 'settings/grants-damaged'
  | 'settings/not-editable'
  | 'settings/no-lock'
  | 'settings/no-keyring';

/** All codes, each with the next action for the user. A test checks that the codes do not change. */
export const SETTINGS_ERRORS: Readonly<Record<SettingsErrorCode, string>> = {
  'settings/unreadable': 'check the path; fix the file, or remove it',
  'settings/not-usable': 'fix the named settings, then run the command again',
  'settings/too-much': 'make the named file or setting smaller, or move it to your own settings or `~/.agents/skills`',
  'settings/trust-inside': 'set TIDEMARK_HOME to a path outside the workspace, or use `--trust` for each run',
  'settings/trust-damaged': 'remove the file; you are then asked again whether you trust the folder',
  'settings/grants-inside': 'set TIDEMARK_HOME to a path outside the workspace',
  'settings/grants-damaged': 'remove the file; calls then ask for permission again',
  'settings/not-editable': 'edit the file yourself as the message says',
  'settings/no-lock':
    'end or resume the process that holds the lock; if there is none, remove the lock file and try again',
  'settings/no-keyring': 'set the environment variable of the provider instead; `tidemark doctor` shows its name',
};

/**
 * Error of this package. Its message never contains the value of a setting, because the user may have written a secret
 * there by mistake.
 */
export class SettingsError extends CodedError<SettingsErrorCode, ErrorData> {
  override readonly name = 'SettingsError';

  constructor(code: SettingsErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** Next action for the user. */
  get next(): string {
    return SETTINGS_ERRORS[this.code];
  }
}
