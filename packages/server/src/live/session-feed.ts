// Feed of one session for any number of readers. A session that this server runs is the source of its own events. Any
// other session is read from its log, which another process may be writing. Each reader has a queue of limited size. A
// reader that is too slow for it reads the missed records from the log, so no reader makes memory grow.

import type { AgentSession } from '@tidemark/agent';
import type { Log, Recorded, SessionId } from '@tidemark/log';
import type { Frame, LiveState, PassingEvent } from './frames.ts';
import { passingFrame, recordFrame, stateFrame } from './frames.ts';
import type { PassingState } from './passing-state.ts';
import { createPassingState } from './passing-state.ts';
import type { WaitingQuestion } from './questions.ts';

/** Maximum number of bytes in the queue of one reader. A single frame may be larger. */
const MAX_QUEUED_BYTES = 1_048_576;
/** Maximum number of frames in the queue of one reader. */
const MAX_QUEUED = 1_000;
/** Records that are read from the log at once, in bytes of their frames. */
const READ_BYTES = 262_144;

/** Feed of one session. */
export interface SessionFeed {
  /**
   * Yields the frames of all records from a position on, then the present state, then each new event. Ends when the
   * signal aborts. The frames of one array belong together and are sent at once.
   *
   * @throws LogError as `log.read` does.
   */
  read(from: number, signal: AbortSignal): AsyncGenerator<readonly Frame[], void>;
  /** Makes a session that this server has opened the source of the events, until it is closed. */
  attach(session: AgentSession, waiting: () => readonly WaitingQuestion[]): void;
  /** Sends an event that is not stored to all readers. */
  tell(event: PassingEvent): void;
  readers(): number;
  /** Ends all readers. */
  close(): void;
}

interface Reader {
  /** Position of the next record that the reader needs. */
  next: number;
  queue: Frame[];
  queuedBytes: number;
  /** True if the reader must read the log before it takes frames from its queue. */
  behind: boolean;
  wake: () => void;
}

interface FeedState {
  readonly log: Log;
  readonly id: SessionId;
  /** Returns the facts of the process that the state of a new reader contains. */
  readonly memory: () => Pick<LiveState, 'drafts' | 'failure'>;
  readonly readers: Set<Reader>;
  passing: PassingState;
  /** The session, while this server has it open. */
  open: { readonly session: AgentSession; readonly waiting: () => readonly WaitingQuestion[] } | undefined;
  /** Ends the reading of the log of a session that another process may write. */
  following: AbortController | undefined;
  closed: boolean;
}

/** Creates the feed of a session. Nothing is read before the first reader. */
export function createSessionFeed(log: Log, id: SessionId, memory: FeedState['memory'] = () => ({})): SessionFeed {
  const feed: FeedState = {
    log,
    id,
    memory,
    readers: new Set(),
    passing: createPassingState(),
    open: undefined,
    following: undefined,
    closed: false,
  };
  return {
    read: (from, signal) => read(feed, from, signal),
    attach: (session, waiting) => attach(feed, session, waiting),
    tell: (event) => publish(feed, passingFrame(event)),
    readers: () => feed.readers.size,
    close() {
      feed.closed = true;
      feed.following?.abort();
      for (const reader of feed.readers) reader.wake();
    },
  };
}

async function* read(feed: FeedState, from: number, signal: AbortSignal): AsyncGenerator<readonly Frame[], void> {
  const reader: Reader = { next: from, queue: [], queuedBytes: 0, behind: true, wake: () => undefined };
  const wake = (): void => reader.wake();
  signal.addEventListener('abort', wake, { once: true });
  feed.readers.add(reader);
  try {
    while (!signal.aborted && !feed.closed) {
      if (reader.behind) {
        reader.behind = false;
        drop(reader);
        yield* readLog(feed, reader, signal);
        if (reader.behind) continue;
        follow(feed, reader.next);
        yield [stateFrame(stateOf(feed, reader))];
      } else if (reader.queue.length > 0) {
        const frames = take(reader);
        if (frames.length > 0) yield frames;
      } else await new Promise<void>((resolve) => (reader.wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', wake);
    feed.readers.delete(reader);
    if (feed.readers.size === 0) stopFollowing(feed);
  }
}

async function* readLog(feed: FeedState, reader: Reader, signal: AbortSignal): AsyncGenerator<readonly Frame[], void> {
  let frames: Frame[] = [];
  let bytes = 0;
  for await (const record of feed.log.read(feed.id, reader.next)) {
    if (signal.aborted || feed.closed) return;
    const frame = recordFrame(record);
    frames.push(frame);
    bytes += frame.bytes.length;
    reader.next = record.position + 1;
    if (bytes < READ_BYTES) continue;
    yield frames;
    frames = [];
    bytes = 0;
  }
  if (frames.length > 0) yield frames;
}

/**
 * Takes the queue of a reader. A record that the reader already has is left out. If a record is missing, the reader
 * reads the log again.
 */
function take(reader: Reader): readonly Frame[] {
  const { queue } = reader;
  drop(reader);
  const frames: Frame[] = [];
  for (const frame of queue) {
    const { position } = frame;
    if (position !== undefined && position > reader.next) {
      reader.behind = true;
      return frames;
    }
    if (position !== undefined && position < reader.next) continue;
    if (position !== undefined) reader.next = position + 1;
    frames.push(frame);
  }
  return frames;
}

function drop(reader: Reader): void {
  reader.queue = [];
  reader.queuedBytes = 0;
}

function stateOf({ passing, open, memory }: FeedState, { next }: Reader): Parameters<typeof stateFrame>[0] {
  return { length: next, open: open !== undefined, ...passing.read(), questions: open?.waiting() ?? [], ...memory() };
}

function publish(feed: FeedState, frame: Frame): void {
  for (const reader of feed.readers) {
    if (reader.behind) continue;
    reader.queue.push(frame);
    reader.queuedBytes += frame.bytes.length;
    if (reader.queue.length > 1 && (reader.queuedBytes > MAX_QUEUED_BYTES || reader.queue.length > MAX_QUEUED))
      sendBehind(reader);
    else reader.wake();
  }
}

/** Makes a reader read the log from its position. */
function sendBehind(reader: Reader): void {
  drop(reader);
  reader.behind = true;
  reader.wake();
}

/** Follows the log from a position, unless this server has the session open or follows it already. */
function follow(feed: FeedState, from: number): void {
  if (feed.open !== undefined || feed.following !== undefined) return;
  const following = new AbortController();
  feed.following = following;
  const run = async (): Promise<void> => {
    for await (const record of feed.log.tail(feed.id, from, following.signal)) {
      if (following.signal.aborted) return;
      publishRecord(feed, record);
    }
  };
  // A log that cannot be read any more, such as after a failed write of the other process, is read again by each
  // reader, which then gets the error.
  run().catch(() => {
    if (feed.following !== following) return;
    feed.following = undefined;
    for (const reader of feed.readers) sendBehind(reader);
  });
}

function stopFollowing(feed: FeedState): void {
  feed.following?.abort();
  feed.following = undefined;
}

function publishRecord(feed: FeedState, record: Recorded): void {
  feed.passing.take({ type: 'recorded', record });
  if (feed.readers.size > 0) publish(feed, recordFrame(record));
}

function attach(feed: FeedState, session: AgentSession, waiting: () => readonly WaitingQuestion[]): void {
  stopFollowing(feed);
  feed.open = { session, waiting };
  feed.passing = createPassingState();
  const events = session.events();
  const run = async (): Promise<void> => {
    // Records that were appended just before the session was opened are still missing.
    for (const reader of feed.readers) sendBehind(reader);
    for await (const event of events) {
      if (event.type === 'recorded') publishRecord(feed, event.record);
      // The text of an error that a tool threw is not masked, and its masked message is in the log.
      else if (event.type !== 'tool.threw') {
        feed.passing.take(event);
        if (feed.readers.size > 0) publish(feed, passingFrame(event));
      }
    }
  };
  // The error of a session that stops is thrown to every command too.
  run()
    .catch(() => undefined)
    .finally(() => {
      if (feed.open?.session !== session) return;
      feed.open = undefined;
      feed.passing = createPassingState();
      for (const reader of feed.readers) sendBehind(reader);
    });
}
