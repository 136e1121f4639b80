// What `doctor` says of one thing it looked at.

/** `failed` makes the command end with an exit code of its own; a `warning` does not. */
export type CheckState = 'good' | 'warning' | 'failed';

/** One thing that was looked at. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: CheckState;
  /** What was found, in words. */
  readonly found: string;
  /** What to do about it. */
  readonly next?: string;
}
