// Tells listeners what happens, each at its own pace and none without bound: who falls behind reads what it missed from the
// log, and misses only what passes by.

import type { Recorded } from '@tidemark/log';
import type { SessionEvent } from '../ports/session-event.ts';

/** Events that wait for a listener at most. */
const MOST_WAITING = 1_000;

/** A feed of events, which each listener reads at its own pace. */
export interface EventFeed {
  tell(event: SessionEvent): void;
  /** The last event was told. With an error, listeners meet it behind the last event. */
  end(error?: Error): void;
  listen(): AsyncIterableIterator<SessionEvent>;
}

/** What a feed knows. */
interface Source {
  readonly read: (from: number, to: number) => AsyncIterable<Recorded>;
  readonly listeners: Set<Listener>;
  /** Where the first record that was told stands, for those who come late. */
  first: number | undefined;
  /** Behind the last record that was told. */
  next: number;
  ended: boolean;
  error: Error | undefined;
}

/** One who listens. */
interface Listener {
  waiting: SessionEvent[];
  /** The first record that is to be read from the log, behind what waits. */
  behind: number | undefined;
  gone: boolean;
  wake: () => void;
}

/** A feed over a log. `replays`: who comes late is told all from the first record on, else from now on. */
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
  if (listener.behind !== undefined) return;
  if (listener.waiting.length < MOST_WAITING) listener.waiting.push(event);
  else if (event.type === 'recorded') listener.behind = event.record.position;
  listener.wake();
}

function listen(source: Source, behind: number | undefined): AsyncIterableIterator<SessionEvent> {
  const listener: Listener = { waiting: [], behind, gone: false, wake: () => undefined };
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
