// What can be wrong in the use of the simulator itself. What it answers to a request is a `MessageRefusal` instead.

/** `bad-scenario`, `bad-options`: fix what was given. `time-backwards`: calls come in order of time. */
export type SimulatorErrorCode =
  | 'simulator/bad-options'
  | 'simulator/bad-scenario'
  | 'simulator/time-backwards'
  | 'simulator/no-virtual-clock'
  | 'simulator/listen-failed';

/** A wrong use of the simulator. The message says what happened, to what, and the next step. */
export class SimulatorError extends Error {
  override readonly name = 'SimulatorError';
  readonly code: SimulatorErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: SimulatorErrorCode,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
  }
}
