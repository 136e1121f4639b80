// A call of which nothing arrived: it may go another way.

import type { ProviderError } from '@tidemark/model';

/**
 * Why. `unreachable`: no connection came to be; `refused`: the server would not upgrade it; `closed`, `silent`: it was
 * opened for this call, and then closed or said nothing.
 */
export type Obstacle = 'unreachable' | 'refused' | 'closed' | 'silent';

/** See the head of this file. `error` is what it comes to where there is no other way. */
export class NotReached extends Error {
  readonly obstacle: Obstacle;
  readonly error: ProviderError;
  /** Whether asking again would be in vain: this server knows no WebSockets. */
  readonly forGood: boolean;

  constructor(obstacle: Obstacle, error: ProviderError, forGood = false) {
    super(error.message);
    this.obstacle = obstacle;
    this.error = error;
    this.forGood = forGood;
  }
}
