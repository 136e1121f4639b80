// What this room refuses. All of it is for the user to mend; nothing that was refused is half in force.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** The name of an error of this room. */
export type SettingsErrorCode =
  | 'settings/unreadable'
  | 'settings/not-usable'
  | 'settings/too-much'
  | 'settings/trust-inside'
  | 'settings/trust-damaged'
  | 'settings/grants-inside'
  | 'settings/grants-damaged'
  | 'settings/no-keyring';

/** Every code, with what to do next. Pinned by a test. */
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

/** An error of this room. Its message never holds the value of a setting, which may be a secret in the wrong place. */
export class SettingsError extends CodedError<SettingsErrorCode, ErrorData> {
  override readonly name = 'SettingsError';

  constructor(code: SettingsErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }

  /** What to do now. */
  get next(): string {
    return SETTINGS_ERRORS[this.code];
  }
}
