// Tests that a stream is split into the same records, no matter where its chunks end.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitRecords } from './split-records.ts';

async function split(chunks: readonly Buffer[], most: number): Promise<readonly (string | undefined)[]> {
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  const records: (string | undefined)[] = [];
  for await (const record of splitRecords(stream(), 0x0a, most)) records.push(record);
  return records;
}

it('`splitRecords` yields the same records for any chunk size, and `undefined` for each record above the limit', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', '🌊', 'é'), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(text), fc.integer({ min: 1, max: 7 }), async (records, size) => {
      const bytes = Buffer.from(records.map((record) => `${record}\n`).join(''));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const bounded = records.map((record) => (Buffer.byteLength(record) > 20 ? undefined : record));
      expect(await split(chunks, 20)).toEqual(bounded);
    }),
  );
});

it('`splitRecords` yields the text after the last delimiter', async () => {
  expect(await split([Buffer.from('a\n\nb')], 10)).toEqual(['a', '', 'b']);
});
