import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileLine } from './read-lines.ts';
import { readLines } from './read-lines.ts';

async function linesOf(chunks: readonly Uint8Array[], longest?: number): Promise<readonly FileLine[]> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  return collect(source(), longest);
}

async function collect(chunks: AsyncIterable<Uint8Array>, longest?: number): Promise<readonly FileLine[]> {
  const all: FileLine[] = [];
  for await (const lines of readLines(chunks, longest)) all.push(...lines);
  return all;
}

describe('the lines of a file', () => {
  it('are the same for any split of the bytes into chunks', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '🙂', '"', '\n', '\n') });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (content, size) => {
        const bytes = Buffer.from(content);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        const wanted = content.split('\n');
        if (wanted.at(-1) === '') wanted.pop();
        expect((await linesOf(chunks)).map((line) => ('text' in line ? line.text : ''))).toEqual(wanted);
      }),
    );
  });

  it('that are too long or not UTF-8 are reported with the reason, and the next line is still read', async () => {
    const bytes = Buffer.concat([
      Buffer.from('short\n'),
      Buffer.from('a much longer one\n'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('end'),
    ]);
    expect(await linesOf([bytes.subarray(0, 12), bytes.subarray(12)], 8)).toEqual([
      { number: 1, text: 'short' },
      { number: 2, reason: 'longer than 8 bytes (17)' },
      { number: 3, reason: 'not UTF-8 text' },
      { number: 4, text: 'end' },
    ]);
  });

  it('are correct even if the source writes each chunk into the same buffer', async () => {
    const buffer = Buffer.alloc(2);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (const text of ['ab', 'c\n', 'de']) {
        buffer.write(text);
        yield buffer;
      }
    }
    expect((await collect(source())).map((line) => ('text' in line ? line.text : ''))).toEqual(['abc', 'de']);
  });
});
