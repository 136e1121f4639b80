// Lists every fault that the simulator can play, for one wire and one place in a call. The types of the tables require
// an entry for each kind of fault. A new kind of the simulator is therefore a compile error until it has an entry, and
// the tests then try it at every point of a stream.

import type { Fault } from '@tidemark/simulator';
import type { Wire } from './provider-wires.ts';

/** A fault to play. `ends` is true if the fault ends the turn with an error, because a retry would not help. */
export interface Strike {
  readonly fault: Fault;
  readonly ends: boolean;
}

type KindWith<Field extends string, One = Fault> = One extends Fault
  ? Field extends keyof One
    ? One['kind']
    : never
  : never;
/** Kinds of fault that occur after a number of events of a stream. */
type StreamKind = KindWith<'afterEvents'>;
/** Kinds of fault that affect a whole call or its connection. */
type WholeKind = Exclude<Fault['kind'], StreamKind>;

const WHOLE_CALL: { readonly [K in WholeKind]: (wire: Wire) => readonly Strike[] } = {
  'rate-limited': ({ tellsSpent }) => [
    ...goesOn({ kind: 'rate-limited', retryAfter: 7 }),
    { fault: { kind: 'rate-limited' }, ends: tellsSpent },
  ],
  overloaded: () => goesOn({ kind: 'overloaded' }),
  'server-error': () => goesOn({ kind: 'server-error' }),
  refused: () => [
    { fault: { kind: 'refused', message: 'max_tokens: this is not what we take' }, ends: true },
    { fault: { kind: 'refused', status: 401, type: 'authentication_error', message: 'no such key' }, ends: true },
  ],
  'slow-first-byte': () => goesOn({ kind: 'slow-first-byte', ms: 20 }),
  evicted: () => goesOn({ kind: 'evicted' }),
  'wrong-usage': () => goesOn({ kind: 'wrong-usage', usage: { cache_read_input_tokens: 999_999, input_tokens: 0 } }),
  'upgrade-refused': ({ sockets }) =>
    sockets ? goesOn({ kind: 'upgrade-refused' }, { kind: 'upgrade-refused', status: 503 }) : [],
  forgotten: ({ sockets }) => (sockets ? goesOn({ kind: 'forgotten' }) : []),
};

const IN_STREAM: { readonly [K in StreamKind]: (wire: Wire, afterEvents: number) => readonly Strike[] } = {
  cut: (_, afterEvents) => goesOn({ kind: 'cut', afterEvents }),
  silence: (_, afterEvents) => goesOn({ kind: 'silence', afterEvents }),
  'error-event': ({ endsAsFailed }, afterEvents) =>
    goesOn(
      { kind: 'error-event', afterEvents },
      ...(endsAsFailed && afterEvents > 0 ? [{ kind: 'error-event', afterEvents, form: 'failed' } as const] : []),
    ),
  'malformed-event': (_, afterEvents) => goesOn({ kind: 'malformed-event', afterEvents }),
};

/** Names of all kinds of fault. */
export const FAULT_KINDS: readonly string[] = [...Object.keys(WHOLE_CALL), ...Object.keys(IN_STREAM)];

/**
 * Checks if a fault affects the connection of a WebSocket. Such a fault must be passed to the simulator before the call
 * arrives.
 */
export function strikesConnection({ kind }: Fault): boolean {
  return kind === 'upgrade-refused' || kind === 'forgotten';
}

/** Returns the faults of a wire that affect a whole call or its connection. */
export function wholeStrikes(wire: Wire): readonly Strike[] {
  return Object.values(WHOLE_CALL).flatMap((of) => of(wire));
}

/** Returns the faults of a wire that occur after this number of events of a stream. */
export function streamStrikes(wire: Wire, afterEvents: number): readonly Strike[] {
  return Object.values(IN_STREAM).flatMap((of) => of(wire, afterEvents));
}

function goesOn(...faults: readonly Fault[]): readonly Strike[] {
  return faults.map((fault) => ({ fault, ends: false }));
}
