// The input of a call as it was forecast, as one number.

import type { CallForecast } from '@tidemark/log';

/** Returns the input tokens of the whole request, by its forecast. */
export function expectedInput({ read, write, fresh }: Pick<CallForecast, 'read' | 'write' | 'fresh'>): number {
  return read + write + fresh;
}
