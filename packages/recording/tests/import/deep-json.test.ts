// Tests for JSON that is nested thousands of levels deep: the line is reported, all other lines are imported, and the
// stack does not overflow.

import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, it } from 'vitest';
import { importInto } from '../../src/import/import-into.ts';
import { fileOf, sourceOf } from './import-rows.ts';
import { assistant, header, text, user } from './pi-rows.ts';

const DEPTHS = [2_000, 20_000, 200_000];

function nested(depth: number): string {
  return `{"type":"message","id":"deep","value":${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}}\n`;
}

const sound = fileOf([header(1), user('go'), assistant([text('done')])]).toString();

describe.each(DEPTHS)('a line of JSON with %d levels', (depth) => {
  it('in a transcript is reported, and the other lines are imported', async () => {
    const store = createMemoryStore();
    const plain = await importInto(createMemoryStore(), sourceOf(Buffer.from(sound)));
    const imported = await importInto(store, sourceOf(Buffer.from(sound + nested(depth))));
    expect(imported.calls).toBe(plain.calls);
    expect(imported.skipped).toEqual([{ line: 4, reason: 'nested deeper than 500 levels' }]);
  });

  it('as the only line of a file is refused, and the error names the file and the line', async () => {
    const importing = importInto(createMemoryStore(), sourceOf(Buffer.from(nested(depth))));
    await expect(importing).rejects.toMatchObject({
      code: 'import/no-sound-record',
      message: expect.stringContaining('line 1 is nested deeper than 500 levels'),
    });
  });

  it('is also reported if it is cut short', async () => {
    const half = nested(depth).slice(0, depth * 2);
    const imported = await importInto(createMemoryStore(), sourceOf(Buffer.from(`${sound}${half}`)));
    expect(imported.skipped).toHaveLength(1);
  });
});
