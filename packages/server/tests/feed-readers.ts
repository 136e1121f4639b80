// Readers of a feed for tests, and a session whose events a test sends.

import type { SessionEvent } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import type { SessionFeed } from '../src/live/session-feed.ts';

/** Reader of a feed that understands the frames, as a page in a browser does. */
export interface TestReader {
  readonly from: number;
  readonly records: Recorded[];
  /** Lengths that the states named, each with the number of records that the reader had. */
  readonly states: { readonly length: number; readonly next: number; readonly open: boolean }[];
  /** Text of the answer that is arriving. */
  text(): string;
  /** Makes the reader take each piece at once, or keep it. */
  stall(stalled: boolean): void;
  abort(): void;
  /** Resolves when the feed has ended this reader, with its error. */
  readonly ended: Promise<unknown>;
  /** Resolves when the reader has records up to a length and a state after the last change of the source. */
  until(check: () => boolean): Promise<void>;
}

/** Longest time between two pieces, in milliseconds. */
const LONGEST = 2_000;

/** Begins to read a feed from a position. */
export function readFeed(feed: SessionFeed, from: number): TestReader {
  const aborting = new AbortController();
  const records: Recorded[] = [];
  const states: { length: number; next: number; open: boolean }[] = [];
  const decoder = new TextDecoder();
  const waiting = new Set<() => void>();
  let stalled = false;
  let kept: (() => void) | undefined;
  let text = '';
  const takeFrame = (block: string): void => {
    const event = /^event: (\w+)$/m.exec(block)?.[1];
    const data = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null');
    if (event === 'record') {
      records.push(data);
      if (data.kind === 'turn.ended') text = '';
    } else if (event === 'state') {
      states.push({ length: data.length, next: from + records.length, open: data.open });
      ({ text } = data);
    } else if (event === 'passing' && data.type === 'text.delta') text += data.text;
  };
  const ended = feed
    .read(
      from,
      {
        write(bytes) {
          for (const block of decoder.decode(bytes).split('\n\n')) if (block !== '') takeFrame(block);
          for (const wake of waiting) wake();
          return stalled && !aborting.signal.aborted ? new Promise((resolve) => (kept = resolve)) : undefined;
        },
      },
      aborting.signal,
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  return {
    from,
    records,
    states,
    ended,
    text: () => text,
    stall(value) {
      stalled = value;
      if (!value) kept?.();
    },
    abort() {
      aborting.abort();
      kept?.();
    },
    async until(check) {
      while (!check()) {
        const next = Promise.withResolvers<void>();
        waiting.add(next.resolve);
        const longest = setTimeout(() => next.reject(new Error('the reader does not get what it waits for')), LONGEST);
        await next.promise.finally(() => clearTimeout(longest));
        waiting.delete(next.resolve);
      }
    },
  };
}

/** A session whose events a test sends. */
export interface SentEvents {
  events(): AsyncIterableIterator<SessionEvent>;
  send(event: SessionEvent): void;
  end(): void;
}

/** Creates a session without events. */
export function createSentEvents(): SentEvents {
  const queue: SessionEvent[] = [];
  let wake = (): void => undefined;
  let over = false;
  return {
    send(event) {
      queue.push(event);
      wake();
    },
    end() {
      over = true;
      wake();
    },
    async *events() {
      for (;;) {
        const event = queue.shift();
        if (event !== undefined) yield event;
        else if (over) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
