// Starts processes that hold a session of a home.

import { fileURLToPath } from 'node:url';

import type { Child } from '@tidemark/log/contract/child';
import { startChild } from '@tidemark/log/contract/child';

/** Path of the test program that opens a session and keeps its lock. */
export const HOLD_SESSION: string = fileURLToPath(new URL('hold-session.ts', import.meta.url));

/** Starts a process that opens a session of this home and keeps its lock. */
export function startHolder(home: string, session: string): Child {
  return startChild(process.execPath, [HOLD_SESSION, home, session]);
}
