// Output of a command with a limited size: keeps the beginning and the end, and counts the bytes between them.

/** Output that was kept. */
export interface KeptOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Number of bytes between the head and the tail that were dropped. */
  readonly dropped: number;
}

/** Output that receives chunks. It keeps at most `3 * half` bytes and one chunk. */
export interface BoundedOutput {
  add(chunk: Uint8Array): void;
  kept(): KeptOutput;
}

/** Creates an output that keeps `half` bytes at the beginning and `half` bytes at the end. */
export function createBoundedOutput(half: number): BoundedOutput {
  const head: Uint8Array[] = [];
  let headSize = 0;
  let tail: Uint8Array[] = [];
  let tailSize = 0;
  let dropped = 0;
  const shorten = (): void => {
    const whole = Buffer.concat(tail);
    dropped += whole.length - half;
    tail = [whole.subarray(whole.length - half)];
    tailSize = half;
  };
  return {
    add(chunk) {
      const first = chunk.subarray(0, half - headSize);
      if (first.length > 0) head.push(first);
      headSize += first.length;
      if (first.length === chunk.length) return;
      tail.push(chunk.subarray(first.length));
      tailSize += chunk.length - first.length;
      // The tail is shortened when it is twice as long as it may be. Each byte is therefore copied a few times at most.
      if (tailSize > 2 * half) shorten();
    },
    kept() {
      if (tailSize > half) shorten();
      return { head: Buffer.concat(head), tail: Buffer.concat(tail), dropped };
    },
  };
}
