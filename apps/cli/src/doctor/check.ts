// Result of one check by `doctor`.

/** State of a check. `failed` gives the command an exit code other than 0; `warning` does not. */
export type CheckState = 'good' | 'warning' | 'failed';

/** One check with its result. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: CheckState;
  /** Result of the check in words. */
  readonly found: string;
  /** Next step for the user. */
  readonly next?: string;
}
