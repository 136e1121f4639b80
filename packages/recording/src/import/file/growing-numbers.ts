// A list of 32-bit integers that grows: four bytes each, for what is kept per record of a large file.

/** A list of 32-bit integers. */
export interface GrowingNumbers {
  readonly length: number;
  push(value: number): void;
  /** @throws RangeError outside the list. */
  get(index: number): number;
  set(index: number, value: number): void;
}

/** An empty list. */
export function growingNumbers(): GrowingNumbers {
  let buffer = new Int32Array(1024);
  let length = 0;
  const check = (index: number): void => {
    if (index < 0 || index >= length) throw new RangeError(`no number at ${index} of ${length}`);
  };
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === buffer.length) {
        const larger = new Int32Array(buffer.length * 2);
        larger.set(buffer);
        buffer = larger;
      }
      buffer[length] = value;
      length += 1;
    },
    get(index) {
      check(index);
      return buffer[index] ?? 0;
    },
    set(index, value) {
      check(index);
      buffer[index] = value;
    },
  };
}
