// Event feed with any number of listeners. Each listener reads at its own pace and has a buffer of limited size. A slow
// listener reads missed records from the log. It loses only ephemeral events.

import type { CallId, Recorded } from '@tidemark/log';
import { NOT_SHOWN, joinPieces } from '../output/live-output.ts';
import type { SessionEvent } from '../ports/session-event.ts';

/** Maximum number of buffered events per listener. */
const MAX_WAITING = 1_000;

/** A feed of events. Each listener reads it at its own pace. */
export interface EventFeed {
  tell(event: SessionEvent): void;
  /** Ends the feed. With an error, listeners receive the error after the last event. */
  end(error?: Error): void;
  listen(): AsyncIterableIterator<SessionEvent>;
}

interface Source {
  readonly read: (from: number, to: number) => AsyncIterable<Recorded>;
  readonly listeners: Set<Listener>;
  /** Position of the first record that was sent. A listener that joins late needs it. */
  first: number | undefined;
  /** Position after the last record sent. */
  next: number;
  ended: boolean;
  error: Error | undefined;
}

interface Listener {
  waiting: SessionEvent[];
  /**
   * Position of the first record that the listener missed because its buffer was full. After its buffered events, the
   * listener reads the log from this position on. With `replays`, it is the first record of the feed. `undefined` if
   * the listener missed no record.
   */
  behind: number | undefined;
  /** Calls whose output the listener missed. Their next output begins with a line that reports this. */
  readonly missed: Set<CallId>;
  gone: boolean;
  wake: () => void;
}

/**
 * Creates a feed over a log. With `replays`, a late listener receives all records of the feed from the first one on.
 * Otherwise it receives only later events.
 */
export function createEventFeed(read: Source['read'], replays: boolean): EventFeed {
  const source: Source = { read, listeners: new Set(), first: undefined, next: 0, ended: false, error: undefined };
  return {
    tell(event) {
      if (event.type === 'recorded') {
        const { position } = event.record;
        source.first ??= position;
        source.next = position + 1;
      }
      for (const listener of source.listeners) offer(listener, event);
    },
    end(error) {
      source.ended = true;
      source.error = error;
      for (const listener of source.listeners) listener.wake();
    },
    listen: () => listen(source, replays ? source.first : undefined),
  };
}

function offer(listener: Listener, event: SessionEvent): void {
  const isFull = listener.behind !== undefined || listener.waiting.length >= MAX_WAITING;
  if (event.type === 'tool.output') return offerOutput(listener, event, isFull);
  if (listener.behind !== undefined) return;
  if (!isFull) listener.waiting.push(event);
  else if (event.type === 'recorded') listener.behind = event.record.position;
  listener.wake();
}

/** Offers output of a call. If an event of the same call still waits, the output is added to that event. */
function offerOutput({ waiting, missed, wake }: Listener, event: OutputEvent, isFull: boolean): void {
  const { call } = event;
  const at = waiting.findLastIndex((one) => one.type === 'tool.output' && one.call === call);
  const earlier = waiting[at];
  if (earlier?.type === 'tool.output') waiting[at] = { ...earlier, text: joinPieces(earlier.text, event.text) };
  else if (isFull) missed.add(call);
  else waiting.push(missed.delete(call) ? { ...event, text: `${NOT_SHOWN}${event.text}` } : event);
  wake();
}

type OutputEvent = Extract<SessionEvent, { readonly type: 'tool.output' }>;

function listen(source: Source, behind: number | undefined): AsyncIterableIterator<SessionEvent> {
  const listener: Listener = { waiting: [], behind, missed: new Set(), gone: false, wake: () => undefined };
  source.listeners.add(listener);
  const events = hear(source, listener);
  return {
    next: () => events.next(),
    async return() {
      leave(source, listener);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function leave(source: Source, listener: Listener): void {
  source.listeners.delete(listener);
  listener.gone = true;
  listener.wake();
}

async function* hear(source: Source, listener: Listener): AsyncGenerator<SessionEvent, void> {
  while (!listener.gone) {
    if (listener.waiting.length > 0) {
      const events = listener.waiting;
      listener.waiting = [];
      yield* unlessGone(listener, events);
    } else if (listener.behind !== undefined) {
      const from = listener.behind;
      listener.behind = undefined;
      for await (const record of source.read(from, source.next)) yield { type: 'recorded', record };
    } else if (source.ended) {
      leave(source, listener);
      if (source.error !== undefined) throw source.error;
    } else await new Promise<void>((resolve) => (listener.wake = resolve));
  }
}

function* unlessGone(listener: Listener, events: readonly SessionEvent[]): Generator<SessionEvent, void> {
  for (const event of events) {
    if (listener.gone) return;
    yield event;
  }
}
