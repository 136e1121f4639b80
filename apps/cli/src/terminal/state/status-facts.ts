// Facts of the status line.

import type { Gauge } from '@tidemark/context';
import type { Money } from '@tidemark/log';

/** Facts of the status line. A field is absent if it is unknown or does not apply. */
export interface StatusFacts {
  readonly model?: string;
  readonly effort?: string;
  readonly branch?: string;
  readonly gauge?: Gauge;
  /** Share of the last call's input that came from the cache, from 0 to 1. */
  readonly hitRate?: number;
  /** Cost of the session so far. */
  readonly cost?: Money;
  /** Cost of the next call before its answer, if it is sent now. */
  readonly forecast?: Money;
  /** Time at which the cache entry expires, in milliseconds since 1970. */
  readonly expiresAt?: number;
  /** Subagents that run now. */
  readonly subagents: number;
}
