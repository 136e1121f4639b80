// Errors in the use of the simulator. If a provider would refuse a request, the result is a `MessageRefusal` instead.

import type { ErrorData } from '@tidemark/core';
import { CodedError } from '@tidemark/core';

/**
 * Codes of `SimulatorError`. For `bad-scenario` and `bad-options`, fix the input. For `time-backwards`, send the calls
 * in order of time. For `no-virtual-clock`, create the simulator with a virtual clock. For `listen-failed`, choose
 * another port.
 */
export type SimulatorErrorCode =
  | 'simulator/bad-options'
  | 'simulator/bad-scenario'
  | 'simulator/time-backwards'
  | 'simulator/no-virtual-clock'
  | 'simulator/listen-failed';

/**
 * Error of a simulator that was used wrongly or cannot listen. The message contains the problem, the value that caused
 * it, and the next step.
 */
export class SimulatorError extends CodedError<SimulatorErrorCode, ErrorData> {
  override readonly name = 'SimulatorError';

  constructor(code: SimulatorErrorCode, message: string, data: ErrorData = {}, cause?: unknown) {
    super(code, message, data, cause);
  }
}
