// Feed of one session for any number of readers. All readers share the latest frames. A reader that is too slow for them
// reads the missed records from the log, so no reader makes memory grow.

import type { Log, SessionId } from '@tidemark/log';
import type { LogCursor, ReadingLimits } from './catch-up.ts';
import { sendLog } from './catch-up.ts';
import type { FrameRing } from './frame-ring.ts';
import { createFrameRing } from './frame-ring.ts';
import type { Frame, FrameSink, LiveState, PassingEvent } from './frames.ts';
import { joinFrames, passingFrame, stateFrame } from './frames.ts';
import type { WaitingQuestion } from './questions.ts';
import type { OpenEvents, EventOrigin } from './event-origin.ts';
import { createEventOrigin } from './event-origin.ts';

/** Feed of one session. */
export interface SessionFeed {
  /**
   * Sends the frames of all records from a position on, then the present state, then each new event. Ends when the
   * signal aborts or the feed closes.
   *
   * @throws ServerError `server/beyond-end`, `server/too-slow`.
   * @throws LogError as `log.read` does; `log/moved` if the log does not contain a sent record any more.
   */
  read(from: number, sink: FrameSink, signal: AbortSignal): Promise<void>;
  /**
   * Makes a session that this server has opened the source of the events, until it is closed. The promise resolves then.
   */
  attach(session: OpenEvents, waiting: () => readonly WaitingQuestion[]): Promise<void>;
  /** Sends an event that is not stored to all readers. */
  tell(event: PassingEvent): void;
  readers(): number;
  /** True if the open session plans a request that keeps its cache warm. */
  warms(): boolean;
  /** Ends all readers. */
  close(): void;
}

interface FeedReader {
  readonly cursor: LogCursor;
  readonly sink: FrameSink;
  /** Number of the next frame in the ring. `undefined` if the reader must read the log first. */
  at: number | undefined;
  /** True if the reader has the records of the log, but not the state after them. */
  needsState: boolean;
  wake: () => void;
}

/** Options of a feed. */
export interface FeedOptions extends Partial<Pick<FeedState, 'memory'>> {
  readonly limits: ReadingLimits;
}

interface FeedState {
  readonly log: Log;
  readonly id: SessionId;
  readonly limits: ReadingLimits;
  /** Returns the facts of the process that the state of a new reader contains. */
  readonly memory: () => Pick<LiveState, 'drafts' | 'failure'>;
  readonly ring: FrameRing;
  readonly readers: Set<FeedReader>;
  readonly source: EventOrigin;
  /** True if the readers are woken after the present events of the process. */
  waking: boolean;
  closed: boolean;
}

/** Creates the feed of a session. Nothing is read before the first reader. */
export function createSessionFeed(log: Log, id: SessionId, { limits, memory = () => ({}) }: FeedOptions): SessionFeed {
  const ring = createFrameRing();
  const readers = new Set<FeedReader>();
  const source = createEventOrigin(log, id, {
    publish: (frame) => publish(feed, frame),
    changed: () => sendBehind(feed),
    hasReaders: () => readers.size > 0,
  });
  const feed: FeedState = { log, id, limits, memory, ring, readers, source, waking: false, closed: false };
  return {
    read: (from, sink, signal) => read(feed, from, sink, signal),
    attach: (session, waiting) => source.attach(session, waiting),
    tell: (event) => publish(feed, passingFrame(event)),
    readers: () => readers.size,
    warms: () => source.warms(),
    close() {
      feed.closed = true;
      source.stopFollowing();
      for (const reader of readers) reader.wake();
    },
  };
}

async function read(feed: FeedState, from: number, sink: FrameSink, signal: AbortSignal): Promise<void> {
  const cursor: LogCursor = { next: from, chain: undefined };
  const reader: FeedReader = { cursor, sink, at: undefined, needsState: true, wake: () => undefined };
  const wake = (): void => reader.wake();
  const over = (): boolean => signal.aborted || feed.closed;
  signal.addEventListener('abort', wake, { once: true });
  feed.readers.add(reader);
  try {
    while (!over()) {
      if (feed.source.failure !== undefined) throw feed.source.failure;
      if (reader.at === undefined) await catchUp(feed, reader, over);
      else if (reader.needsState) await sendState(feed, reader);
      else if (reader.at < feed.ring.end) await sendNew(feed, reader, reader.at);
      else await new Promise<void>((resolve) => (reader.wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', wake);
    feed.readers.delete(reader);
    if (feed.readers.size === 0) feed.source.stopFollowing();
  }
}

async function catchUp({ log, id, limits, ring }: FeedState, reader: FeedReader, over: () => boolean): Promise<void> {
  const { cursor, sink } = reader;
  // Frames that arrive while the log is read are in the ring.
  reader.at = ring.end;
  reader.needsState = true;
  await sendLog({ log, id, limits, cursor, sink, over });
}

/** Time after which a reader reads the log again if the log lacks a record that was published, in milliseconds. */
const AGAIN_MS = 20;

/**
 * Sends the records that arrived while the log was read, and the state after them. The state contains all earlier events
 * that are not stored, so these are left out. It is sent when the source and the reader are at the same record.
 */
async function sendState(feed: FeedState, reader: FeedReader): Promise<void> {
  const { source, ring, memory } = feed;
  const { cursor } = reader;
  source.flush();
  const records = newRecords(ring.since(reader.at ?? 0), cursor);
  if (records === undefined) return void (reader.at = undefined);
  const next = cursor.next + records.length;
  source.follow(next);
  if (source.next !== undefined && source.next < next) return new Promise<void>((resolve) => (reader.wake = resolve));
  if (source.next !== undefined && source.next > next) {
    reader.at = undefined;
    return new Promise<void>((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  passRecords(cursor, records);
  reader.at = ring.end;
  reader.needsState = false;
  await reader.sink.write(
    joinFrames([...records, stateFrame({ length: cursor.next, ...source.state(), ...memory() })]),
  );
}

/** Returns the records among frames that a reader does not have, or `undefined` if a record between them is missing. */
function newRecords(frames: readonly Frame[] | undefined, { next }: LogCursor): readonly Frame[] | undefined {
  const records = frames?.filter(({ record }) => record !== undefined && record.position >= next);
  return records?.every(({ record }, index) => record?.position === next + index) === true ? records : undefined;
}

function passRecords(cursor: LogCursor, frames: readonly Frame[]): void {
  for (const { record } of frames) {
    if (record === undefined) continue;
    cursor.next = record.position + 1;
    cursor.chain = record.chain;
  }
}

/** Sends the frames of the ring from a number on. A reader that misses one reads the log again. */
async function sendNew({ ring }: FeedState, reader: FeedReader, from: number): Promise<void> {
  const { cursor, sink } = reader;
  const frames = ring.piece(from);
  const records = newRecords(frames, cursor);
  if (frames === undefined || records === undefined) return void (reader.at = undefined);
  const isWhole = frames.every(({ record }) => record === undefined || record.position >= cursor.next);
  const bytes = isWhole ? ring.joined(from, frames) : joinFrames(frames.filter((frame) => isNew(frame, cursor)));
  passRecords(cursor, records);
  reader.at = from + frames.length;
  if (bytes.length > 0) await sink.write(bytes);
}

function isNew({ record }: Frame, { next }: LogCursor): boolean {
  return record === undefined || record.position >= next;
}

/** Adds a frame for all readers. They are woken together after the present events, so they send few pieces. */
function publish(feed: FeedState, frame: Frame): void {
  if (feed.readers.size === 0) return;
  feed.ring.push(frame);
  if (feed.waking) return;
  feed.waking = true;
  setImmediate(() => {
    feed.waking = false;
    for (const reader of feed.readers) reader.wake();
  });
}

/** Makes all readers read the log from their positions. */
function sendBehind({ readers }: FeedState): void {
  for (const reader of readers) {
    reader.at = undefined;
    reader.wake();
  }
}
