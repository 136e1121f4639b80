// Options of the commands that the tool `bash` runs.

/** Options of the commands that the tool `bash` runs. */
export interface CommandsSetup {
  /**
   * Names of environment variables to pass to commands, such as `JAVA_HOME`, and beginnings of names, such as
   * `CARGO_*`. The values come from `host.environment`, by default from `process.env`. The name of a secret is refused,
   * and a beginning never matches one.
   */
  readonly variables?: readonly string[];
  /**
   * Names of variables that contain secrets, to pass to commands. Their values are masked everywhere. A command can
   * still use them and send them away.
   */
  readonly secretVariables?: readonly string[];
}
