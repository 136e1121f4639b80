// What can be wrong in the use of the simulator itself. What it answers to a request is a `MessageRefusal` instead.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/** `bad-scenario`, `bad-options`: fix what was given. `time-backwards`: calls come in order of time. */
export type SimulatorErrorCode =
  | 'simulator/bad-options'
  | 'simulator/bad-scenario'
  | 'simulator/time-backwards'
  | 'simulator/no-virtual-clock'
  | 'simulator/listen-failed';

/** A wrong use of the simulator. The message says what happened, to what, and the next step. */
export class SimulatorError extends CodedError<SimulatorErrorCode, ErrorData> {
  override readonly name = 'SimulatorError';

  constructor(code: SimulatorErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }
}
