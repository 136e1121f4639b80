// A byte buffer that doubles as it grows, so that appending costs what is appended.

const FIRST_CAPACITY = 64 * 1024;

/** Bytes that grow at the end and can be cut back. */
export interface GrowingBytes {
  length(): number;
  /** Appends text as UTF-8. */
  append(text: string): void;
  /** Forgets what lies behind this length. */
  cut(length: number): void;
  /** The bytes from here to the end, as a view that the next append may change. */
  since(from: number): Uint8Array;
  /** A copy of all bytes. */
  copy(): Uint8Array;
}

/** Begins empty. */
export function growingBytes(): GrowingBytes {
  let bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  let used = 0;
  const reserve = (size: number): void => {
    if (used + size <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, used + size));
    bytes.copy(larger, 0, 0, used);
    bytes = larger;
  };
  return {
    length: () => used,
    append(text) {
      reserve(Buffer.byteLength(text, 'utf8'));
      used += bytes.write(text, used, 'utf8');
    },
    cut(length) {
      used = length;
    },
    since: (from) => bytes.subarray(from, used),
    copy: () => {
      const copy = Buffer.allocUnsafeSlow(used);
      bytes.copy(copy, 0, 0, used);
      return copy;
    },
  };
}
