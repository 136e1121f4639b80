// Frames of a stream of server-sent events. A frame is encoded one time, and all readers of a session send the same
// bytes. The format is that of https://html.spec.whatwg.org/multipage/server-sent-events.html.

import type { SessionEvent } from '@tidemark/agent';
import type { Recorded } from '@tidemark/log';
import type { ErrorInWords } from '../errors.ts';
import type { QuestionEvent, WaitingQuestion } from './questions.ts';
import type { MemoryEvent, QueuedPrompt } from './session-memory.ts';

/** An event that is not stored: a reader that misses it loses no stored data. */
export type PassingEvent =
  | Exclude<SessionEvent, { readonly type: 'recorded' | 'tool.threw' }>
  | QuestionEvent
  | MemoryEvent;

/** State of a session that is not stored yet, for a reader that has just received the last record. */
export interface LiveState {
  /** Number of records that the reader has. */
  readonly length: number;
  /** True if this server has the session open, so that it takes commands without a delay. */
  readonly open: boolean;
  /** Text and reasoning of the answer that is arriving. */
  readonly text: string;
  readonly reasoning: string;
  /** End of the output of each running call. */
  readonly outputs: readonly { readonly call: string; readonly text: string }[];
  readonly questions: readonly WaitingQuestion[];
  /** Prompts that wait for the end of the turn. Absent if there are none. */
  readonly drafts?: readonly QueuedPrompt[];
  /** Error that ended the last turn, if the log has no end of the turn. */
  readonly failure?: ErrorInWords;
}

/** Bytes of a frame. The frame of a record also has its place in the log. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly record?: Pick<Recorded, 'position' | 'chain'>;
}

/** Receiver of the bytes of one reader. */
export interface FrameSink {
  /**
   * Sends bytes to the client. Returns `undefined` if the client takes more at once. Otherwise returns a promise that
   * resolves when the client has taken them or is gone.
   */
  write(bytes: Uint8Array): Promise<void> | undefined;
}

const encoder = new TextEncoder();

/** Returns the frame of a record. Its id is the position, so a client that connects again continues after it. */
export function recordFrame(record: Recorded): Frame {
  const { position, chain } = record;
  return {
    record: { position, chain },
    bytes: encoder.encode(`id: ${position}\nevent: record\ndata: ${JSON.stringify(record)}\n\n`),
  };
}

export function passingFrame(event: PassingEvent): Frame {
  return { bytes: encoder.encode(`event: passing\ndata: ${JSON.stringify(event)}\n\n`) };
}

export function stateFrame(state: LiveState): Frame {
  return { bytes: encoder.encode(`event: state\ndata: ${JSON.stringify(state)}\n\n`) };
}

/** Returns the last frame of a stream that ends with an error. */
export function failedFrame(error: { readonly code: string; readonly message: string; readonly next: string }): Frame {
  return { bytes: encoder.encode(`event: failed\ndata: ${JSON.stringify(error)}\n\n`) };
}

/** Comment that keeps the connection open through proxies, and shows the server that a client is gone. */
export const HEARTBEAT: Frame = { bytes: encoder.encode(':\n\n') };

/** Joins the bytes of several frames. The bytes of a single frame are not copied. */
export function joinFrames(frames: readonly Frame[]): Uint8Array {
  const [first] = frames;
  if (frames.length === 1 && first !== undefined) return first.bytes;
  const whole = new Uint8Array(frames.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of frames) {
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}
