// Table of all exit codes. The codes never change, because scripts rely on them.

/** Exit codes by their meaning. */
export const EXIT = {
  /** The command succeeded. */
  ok: 0,
  /**
   * The command ran but did not fully succeed: `verify` found a difference, a check of `doctor` failed, or a turn
   * reached a limit.
   */
  difference: 1,
  /** The command line was wrong: an unknown command or option, or a missing argument. */
  usage: 2,
  /** The input was refused or not found: a missing session or file, or an unknown format. */
  refused: 3,
  /** A log or an artifact is damaged. Nothing was changed. */
  corrupt: 4,
  /** A provider failed or refused the request. The provider may be the simulator. */
  provider: 5,
  /** The command may succeed later, for example after another process releases the session. */
  busy: 6,
  /** This program has a bug: it broke one of its laws, or failed with an unknown error. The user should report it. */
  bug: 70,
  /** The command was interrupted (Ctrl-C). */
  interrupted: 130,
  /** The reader of the output closed the pipe. */
  unread: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
