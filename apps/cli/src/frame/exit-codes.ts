// Every exit code of the command, in one table. They are stable: scripts rely on them.

/** What each exit code means. */
export const EXIT = {
  /** Done as asked. */
  ok: 0,
  /** It ran, and not to the end: `verify` found a difference, `doctor` a failed check, a turn reached a limit. */
  difference: 1,
  /** The command line was wrong: an unknown command or option, a missing argument. */
  usage: 2,
  /** The input was refused or not found: no such session or file, a format that nobody knows. */
  refused: 3,
  /** A log or artifact is damaged. Nothing was changed. */
  corrupt: 4,
  /** A provider, or the simulator in its place, failed or refused. */
  provider: 5,
  /** Not now, but later: another process holds the session. */
  busy: 6,
  /** A law or promise of this program broke. Please report it. */
  bug: 70,
  /** Interrupted (Ctrl-C). */
  interrupted: 130,
  /** Whoever read the output went away. */
  unread: 141,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
