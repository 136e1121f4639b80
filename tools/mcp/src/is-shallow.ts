// Values of a server that are nested thousands of levels deep: each function that walks one by calling itself would fill the stack.

import { canonicalText } from '@tidemark/log';

/** Returns true for a value that canonical JSON can hold: at most 1,000 levels. */
export function isShallow(value: unknown): boolean {
  try {
    return canonicalText(value) !== '';
  } catch {
    return false;
  }
}
