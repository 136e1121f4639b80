// Public exports of the HTTP contract for all providers: the tests against normal, broken and hostile servers, and the
// code of these servers.

import { describeHostileContract } from './hostile-contract.ts';
import type { SocketSubject } from './socket-contract.ts';
import { describeSocketContract } from './socket-contract.ts';

export type { Written } from './hostile-replies.ts';
export {
  dripping,
  gzipBomb,
  manyHeaders,
  pageTitled,
  redirectTo,
  sending,
  serveSelfSigned,
} from './hostile-replies.ts';
export type { Arrival, Reply, Served, SocketOptions, SocketSubject } from './socket-contract.ts';
export { failureOf, partsOf, serve, streaming } from './socket-contract.ts';

/** Defines all tests that every provider over HTTP must pass. */
export function describeHttpContract(name: string, subject: SocketSubject): void {
  describeSocketContract(name, subject);
  describeHostileContract(name, subject);
}
