// Latest frames of one session, shared by all its readers. Each reader keeps only its place in the ring, so a slow
// reader needs no memory of its own. A reader whose next frame is no longer in the ring reads the log.

import type { Frame } from './frames.ts';
import { joinFrames } from './frames.ts';

/** Maximum number of bytes in a ring. A single frame may be larger. */
const MAX_BYTES = 1_048_576;
/** Maximum number of frames in a ring. */
const MAX_FRAMES = 2_000;

/** Maximum number of bytes that a reader sends together. A single frame may be larger. */
const PIECE_BYTES = 65_536;

const sizeOf = (frame: Frame | undefined): number => frame?.bytes.length ?? 0;

/** Frames of one session, numbered in the order in which they arrived. */
export interface FrameRing {
  /** Number of the next frame. */
  readonly end: number;
  push(frame: Frame): void;
  /** Returns the frames from a number on, or `undefined` if the ring does not contain all of them any more. */
  since(from: number): readonly Frame[] | undefined;
  /**
   * Returns the frames from a number on that are sent together, at most 64 KiB or one frame, or `undefined` if the ring
   * does not contain all of them any more. So a client that does not read holds few bytes.
   */
  piece(from: number): readonly Frame[] | undefined;
  /** Returns the bytes of a piece. Readers at the same place get the same bytes. */
  joined(from: number, frames: readonly Frame[]): Uint8Array;
}

/** Creates a ring without frames. */
export function createFrameRing(): FrameRing {
  let frames: Frame[] = [];
  let first = 0;
  let bytes = 0;
  let joined: { readonly from: number; readonly to: number; readonly bytes: Uint8Array } | undefined;
  const endOf = (): number => first + frames.length;
  const dropOldest = (): void => {
    let dropped = 0;
    while (frames.length - dropped > 1 && (bytes > MAX_BYTES || frames.length - dropped > MAX_FRAMES)) {
      bytes -= frames[dropped]?.bytes.length ?? 0;
      dropped += 1;
    }
    if (dropped === 0) return;
    frames = frames.slice(dropped);
    first += dropped;
  };
  return {
    get end() {
      return endOf();
    },
    push(frame) {
      frames.push(frame);
      bytes += frame.bytes.length;
      if (bytes > MAX_BYTES || frames.length > MAX_FRAMES * 2) dropOldest();
    },
    since: (from) => (from < first ? undefined : frames.slice(from - first)),
    piece(from) {
      if (from < first) return undefined;
      let [to, size] = [from - first, 0];
      while (to < frames.length && (size === 0 || size + sizeOf(frames[to]) <= PIECE_BYTES)) {
        size += sizeOf(frames[to]);
        to += 1;
      }
      return frames.slice(from - first, to);
    },
    joined(from, piece) {
      const to = from + piece.length;
      if (joined?.from !== from || joined.to !== to) joined = { from, to, bytes: joinFrames(piece) };
      return joined.bytes;
    },
  };
}
