// A stream into a writer, at the writer's pace. It can be left when nobody is known to be writing and still it does not end.

import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** A running pump. */
export interface Pump {
  /** Ends with the stream. @throws what the writer throws. */
  readonly done: Promise<void>;
  /** Whether something was written, and what its last byte was. */
  tail(): number | undefined;
  /** Waits for the end, and leaves the stream when it was silent for so long. Whether it ended by itself. */
  endOrLeave(silentMs: number): Promise<boolean>;
}

/** Starts pumping. */
export function pump(stream: Readable, write: (chunk: Uint8Array) => Promise<void>): Pump {
  let last: number | undefined;
  let chunks = 0;
  let reading = true;
  let left = false;
  const drain = async (): Promise<void> => {
    for await (const chunk of bytesOf(stream)) {
      reading = false;
      chunks += 1;
      last = chunk.at(-1) ?? last;
      await write(chunk);
      reading = true;
    }
  };
  const done = drain().catch((error: unknown) => {
    if (!left) throw error;
  });
  return {
    done,
    tail: () => last,
    async endOrLeave(silentMs) {
      for (let seen = -1; !(await endsWithin(done, silentMs)); seen = chunks) {
        // A slow writer is not a silent stream.
        if (!reading || seen !== chunks) continue;
        left = true;
        stream.destroy();
      }
      return !left;
    },
  };
}

/** Whether the promise settles within so many milliseconds. */
export async function endsWithin(done: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  const settled = done.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, pause(ms, false, { signal: late.signal })]);
  } finally {
    late.abort();
  }
}

async function* bytesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) if (chunk instanceof Uint8Array) yield chunk;
}
