// Describes the transport of a call. Also describes how its request could continue from an earlier response of the
// provider.

import type { AnswerReceived, ContinuationRecord } from '@tidemark/log';

import { formatNumber } from '../frame/numbers.ts';

/** Transport of an answer, for a provider with more than one transport. */
export type AnswerTransport = NonNullable<AnswerReceived['transport']>;

/**
 * Describes a transport: `over a WebSocket, continuing the previous answer`, `over a WebSocket, complete request:
 * connection`, or `over HTTP as fallback: silent`. The word after `complete request:` or `fallback:` is the recorded
 * reason.
 */
export function transportWords({ kind, continuation, reset, fallback }: AnswerTransport): string {
  const way = kind === 'websocket' ? 'over a WebSocket' : kind === 'http' ? 'over HTTP' : `over ${kind}`;
  const form =
    continuation === true
      ? ', continuing the previous answer'
      : reset === undefined
        ? ''
        : `, complete request: ${reset}`;
  return `${way}${fallback === undefined ? '' : ` as fallback: ${fallback}`}${form}`;
}

/** Describes a possible continuation: `could continue from resp_1 at block 12: 340 bytes, digest 0a1b2c3d4e5f…`. */
export function continuationLine({ response, from, bytes, digest }: ContinuationRecord): string {
  return `could continue from ${response} at block ${from}: ${formatNumber(bytes)} bytes, digest ${digest.slice(0, 12)}…`;
}
