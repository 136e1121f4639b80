// The face of the contract: all that a provider over HTTP keeps, against a server that works and breaks, and against one that is
// hostile; and the servers for it.

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

/** The claims that every provider over HTTP keeps. */
export function describeHttpContract(name: string, subject: SocketSubject): void {
  describeSocketContract(name, subject);
  describeHostileContract(name, subject);
}
