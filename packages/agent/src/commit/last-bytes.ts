// The last bytes of a stream, in a ring: a million small chunks take no more room than one large one.

/** See the head of this file. */
export interface LastBytes {
  add(bytes: Uint8Array): void;
  /** The bytes that came, at most as many as it holds; from the first whole character on where some are gone. */
  take(): Uint8Array;
}

/** Holds the last `limit` bytes. */
export function lastBytes(limit: number): LastBytes {
  const ring = Buffer.alloc(limit);
  let total = 0;
  return {
    add(bytes) {
      const kept = bytes.subarray(-limit);
      const at = (total + bytes.length - kept.length) % limit;
      ring.set(kept.subarray(0, limit - at), at);
      ring.set(kept.subarray(limit - at), 0);
      total += bytes.length;
    },
    take() {
      if (total <= limit) return Buffer.from(ring.subarray(0, total));
      const at = total % limit;
      const last = Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      const start = last.findIndex((byte) => byte < 0x80 || byte >= 0xc0);
      return last.subarray(start === -1 ? limit : start);
    },
  };
}
