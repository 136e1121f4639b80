// Every fault that the simulator can play, on one wire, at one place of a call. The tables are typed by the simulator's own
// list of kinds: one that it learns is refused by the compiler until it stands here, and then it is tried at every point.

import type { Fault } from '@tidemark/simulator';
import type { Wire } from './provider-wires.ts';

/** A fault, and whether it ends the turn with a reason, since waiting does not help. */
export interface Strike {
  readonly fault: Fault;
  readonly ends: boolean;
}

type KindWith<Field extends string, One = Fault> = One extends Fault
  ? Field extends keyof One
    ? One['kind']
    : never
  : never;
/** Strikes a stream behind so many of its events. */
type StreamKind = KindWith<'afterEvents'>;
/** Strikes a call as a whole, or the connection it would take. */
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

/** All kinds. */
export const FAULT_KINDS: readonly string[] = [...Object.keys(WHOLE_CALL), ...Object.keys(IN_STREAM)];

/** Those that strike a connection: they are there before the call is. */
export function strikesConnection({ kind }: Fault): boolean {
  return kind === 'upgrade-refused' || kind === 'forgotten';
}

/** Every fault that has no place in the stream. */
export function wholeStrikes(wire: Wire): readonly Strike[] {
  return Object.values(WHOLE_CALL).flatMap((of) => of(wire));
}

/** Every fault behind so many events of the stream. */
export function streamStrikes(wire: Wire, afterEvents: number): readonly Strike[] {
  return Object.values(IN_STREAM).flatMap((of) => of(wire, afterEvents));
}

function goesOn(...faults: readonly Fault[]): readonly Strike[] {
  return faults.map((fault) => ({ fault, ends: false }));
}
