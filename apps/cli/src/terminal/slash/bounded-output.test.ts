import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createBoundedOutput } from './bounded-output.ts';

test('an output keeps its first and its last bytes, and counts the others', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), fc.integer({ min: 1, max: 20 }), (chunks, half) => {
      const output = createBoundedOutput(half);
      for (const chunk of chunks) output.add(chunk);
      const all = Buffer.concat(chunks);
      const { head, tail, dropped } = output.kept();
      expect(Buffer.from(head)).toEqual(all.subarray(0, half));
      expect(Buffer.from(tail)).toEqual(all.subarray(half).subarray(-half));
      expect(dropped).toBe(Math.max(0, all.length - 2 * half));
    }),
  );
});
