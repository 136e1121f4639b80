// Errors of the `settings` package. The user can fix each of them. Settings are refused as a whole: no part of a
// refused source takes effect.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** Code of an error of this package. */
export type SettingsErrorCode =
  | 'settings/unreadable'
  | 'settings/not-usable'
  | 'settings/too-much'
  | 'settings/trust-inside'
  | 'settings/trust-damaged'
  | 'settings/grants-inside'
  | 'settings/grants-damaged'
  | 'settings/no-keyring';

/** All codes, each with the next action for the user. A test pins them. */
export const SETTINGS_ERRORS: Readonly<Record<SettingsErrorCode, string>> = {
  'settings/unreadable': 'mend the file, or take it away',
  'settings/not-usable': 'mend what is named; `tidemark config` shows what is in force',
  'settings/too-much': 'make what is named smaller, or keep it in your own settings or `~/.agents/skills`',
  'settings/trust-inside': 'keep TIDEMARK_HOME outside of the folder, or say --trust each time',
  'settings/trust-damaged': 'take the file away: then the folder is asked about again',
  'settings/grants-inside': 'keep TIDEMARK_HOME outside of the folder',
  'settings/grants-damaged': 'remove the file: then calls are asked about again',
  'settings/no-keyring': 'set the variable of the provider instead; `tidemark doctor` names it',
};

/**
 * Error of this package. Its message never contains the value of a setting, because the value may be a misplaced
 * secret.
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
